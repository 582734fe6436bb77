package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

class RedisBulkheadJsonRpcServiceTest {

    static final Holder HOLDER = new Holder("p1", "reports", 1_795_248_112_514_163L, "shop", "host:1", "Reports#render",
            Instant.EPOCH, Instant.EPOCH.plusSeconds(30));

    @Test
    void tellsBulkheadsAndHolders() {
        JsonObject snapshot = service(Uni.createFrom().item(List.of(HOLDER))).snapshot().await().atMost(Duration.ofSeconds(10));

        JsonObject bulkhead = snapshot.getJsonArray("bulkheads").getJsonObject(0);
        assertThat(bulkhead.getString("name")).isEqualTo("reports");
        assertThat(bulkhead.getInteger("inUse")).isEqualTo(1);
        assertThat(bulkhead.getJsonArray("holders").getJsonObject(0).getMap()).containsEntry("method", "Reports#render")
                .containsEntry("ticket", "1795248112514163").containsEntry("until", "1970-01-01T00:00:30Z");
    }

    @Test
    void watchesOnceASecondFromTheStart() {
        List<JsonObject> snapshots = service(Uni.createFrom().item(List.of(HOLDER))).watch().select().first(2).collect()
                .asList()
                .await().atMost(Duration.ofSeconds(30));

        assertThat(snapshots).hasSize(2).allMatch(snapshot -> snapshot.getJsonArray("bulkheads").size() == 1);
    }

    @Test
    void goesOnWhileRedisIsAway() {
        List<JsonObject> snapshots = service(
                Uni.createFrom().failure(new BulkheadUnavailableException("reports", "Redis cannot be reached", null))).watch()
                .select().first(2).collect().asList().await().atMost(Duration.ofSeconds(30));

        assertThat(snapshots).hasSize(2).allMatch(snapshot -> snapshot.getString("error").contains("cannot be reached"));
    }

    private static RedisBulkheadJsonRpcService service(Uni<List<Holder>> holders) {
        SemaphoreSpec spec = SemaphoreSpec.named("reports").permits(5).build();
        RedisSemaphore semaphore = new RedisSemaphore() {

            @Override
            public SemaphoreSpec spec() {
                return spec;
            }

            @Override
            public SemaphoreStatus status() {
                return statusAsync().await().indefinitely();
            }

            @Override
            public Uni<SemaphoreStatus> statusAsync() {
                return Uni.createFrom().item(new SemaphoreStatus("reports", 5, 1));
            }

            @Override
            public List<Holder> holders() {
                return holdersAsync().await().indefinitely();
            }

            @Override
            public Uni<List<Holder>> holdersAsync() {
                return holders;
            }
        };
        return new RedisBulkheadJsonRpcService(new RedisBulkheads() {

            @Override
            public Set<String> names() {
                return Set.of("reports");
            }

            @Override
            public RedisSemaphore semaphore(String name) {
                return semaphore;
            }
        });
    }
}
