package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

class RedisBulkheadJsonRpcServiceTest {

    static final Holder HOLDER = new Holder("p1", "reports", Optional.empty(), 1_795_248_112_514_163L, "shop", "host:1",
            "Reports#render",
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

    /** Who holds permits of which key is not listed yet. */
    @Test
    void tellsThatABulkheadHasOneLimitForEachKey() {
        JsonObject snapshot = service(Uni.createFrom().failure(new IllegalStateException("key?")), true).snapshot().await()
                .atMost(Duration.ofSeconds(10));

        assertThat(snapshot.getJsonArray("bulkheads").getJsonObject(0).getMap()).containsEntry("name", "reports")
                .containsEntry("limit", 5).containsEntry("keyed", true).doesNotContainKey("inUse");
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
        return service(holders, false);
    }

    private static RedisBulkheadJsonRpcService service(Uni<List<Holder>> holders, boolean needsKey) {
        SemaphoreSpec spec = SemaphoreSpec.named("reports").permits(5).build();
        Map<String, Object> answers = Map.of("spec", spec, "needsKey", needsKey, "holdersAsync", holders, "statusAsync",
                Uni.createFrom()
                        .item(new SemaphoreStatus("reports", Optional.empty(), 5, 1, 2, false, new TreeSet<>(Set.of(5)))));
        RedisSemaphore semaphore = (RedisSemaphore) Proxy.newProxyInstance(RedisSemaphore.class.getClassLoader(),
                new Class<?>[] { RedisSemaphore.class }, (proxy, method, args) -> answers.get(method.getName()));
        return new RedisBulkheadJsonRpcService(new RedisBulkheads() {

            @Override
            public Set<String> names() {
                return Set.of("reports");
            }

            @Override
            public RedisSemaphore semaphore(String name) {
                return semaphore;
            }

            @Override
            public RedisSemaphore semaphore(SemaphoreSpec other) {
                return semaphore;
            }

            @Override
            public RedisLock lock(String name) {
                throw new UnsupportedOperationException();
            }

            @Override
            public RedisLock lock(LockSpec spec) {
                throw new UnsupportedOperationException();
            }
        });
    }
}
