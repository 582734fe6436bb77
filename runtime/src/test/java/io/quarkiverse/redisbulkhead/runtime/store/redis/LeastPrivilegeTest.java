package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.vertx.redis.client.Redis;

/** A Redis user with only the documented permissions. The contract tests of the stores also run as this user. */
@ParameterizedClass
@EnumSource(TestStore.class)
class LeastPrivilegeTest {

    /** Called only after losing a race, to check that a server accepts writes, or where a failover may have passed. */
    static final Set<String> RARE = Set.of("unwatch", "set", "info");

    @Parameter
    TestStore kind;

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void everythingWorks(boolean fair) throws Exception {
        TestRedis redis = new TestRedis();
        try (TestProcess process = new TestProcess(redis, kind, redis.restrictedOptions(kind))) {
            Semaphore semaphore = process.semaphore(SemaphoreSpec.named("reports").permits(1).fair(fair)
                    .maxWait(Duration.ofMinutes(1)).expire(Duration.ofMinutes(1)).build());
            for (int i = 0; i < 2; i++) {
                get(get(semaphore.admit("A#a").granted()).get(0).release());
            }
            HeldPermit held = get(semaphore.admit("A#a").granted()).get(0);
            Admission waiter = semaphore.admit("A#b");
            get(waiter.attempted());
            await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("PUBSUB", "CHANNELS", "*").size() >= 1);
            // After a pause of this process, the waiter has no place until its next poll.
            await().pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).until(() -> get(semaphore.status()).waiting() == 1);
            assertThat(get(held.refresh())).isTrue();
            get(semaphore.resize(1));
            assertThat(get(semaphore.resetSize())).isTrue();
            assertThat(get(held.release())).isTrue();

            HeldPermit next = get(waiter.granted()).get(0);
            String token = get(next.detach());
            HeldPermit attached = get(semaphore.attach(token, "A#c"));
            assertThat(get(semaphore.revoke(attached.id()))).isTrue();
            await().atMost(30, TimeUnit.SECONDS).until(() -> !process.losses.isEmpty());
            get(waiter.end());
            assertThat(get(process.store.inUse(10, Set.of())).incomplete()).isEmpty();
            assertThat(get(semaphore.holders())).isEmpty();
            assertThat(called(redis)).as("every permission is needed").containsAll(kind.commands().stream()
                    .filter(command -> !RARE.contains(command)).toList());
        } finally {
            redis.close();
        }
    }

    private static Set<String> called(TestRedis redis) {
        return redis.command("INFO", "commandstats").toString().lines().filter(line -> line.startsWith("cmdstat_"))
                .map(line -> line.substring("cmdstat_".length(), line.indexOf(':')).replaceAll("\\|.*", ""))
                .collect(Collectors.toSet());
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
