package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
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
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** A Redis user with only the documented permissions. The contract tests of the stores also run as this user. */
@ParameterizedClass
@EnumSource(TestStore.class)
class LeastPrivilegeTest {

    /** Called only after losing a race, after an eviction, or to check that a server accepts writes. */
    static final Set<String> RARE = Set.of("unwatch", "unlink", "set");

    @Parameter
    TestStore kind;

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void everythingWorks(boolean fair) throws Exception {
        TestRedis redis = new TestRedis();
        RedisOptions commands = redis.restrictedOptions(kind);
        RedisOptions messages = redis.restrictedOptions(kind);
        try (TestProcess process = new TestProcess(redis, kind, commands, messages)) {
            Semaphore semaphore = process.semaphore(SemaphoreSpec.named("reports").permits(1).fair(fair)
                    .maxWait(Duration.ofMinutes(1)).expire(Duration.ofMinutes(1)).build());
            for (int i = 0; i < 2; i++) {
                get(get(semaphore.admit("A#a").granted()).get(0).release());
            }
            HeldPermit held = get(semaphore.admit("A#a").granted()).get(0);
            Admission waiter = semaphore.admit("A#b");
            get(waiter.attempted());
            await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("PUBSUB", "CHANNELS", "*").size() == 1);
            // After a pause of this process, the waiter has no place until its next poll.
            await().pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).until(() -> get(semaphore.status()).waiting() == 1);
            redis.command("HSET", new String(new BulkheadKeys("test", BulkheadId.of("reports")).of(BulkheadKeys.Part.STATE)),
                    "kept until", 1);
            assertThat(get(held.refresh())).isTrue();
            simulateClockSetBackByAnHour(redis);
            addExpiredHolder(redis);
            get(semaphore.resize(1));
            assertThat(get(semaphore.resetSize())).isTrue();
            assertThat(get(held.release())).isTrue();

            HeldPermit next = get(waiter.granted()).get(0);
            assertThat(get(process.store.ownPermits(BulkheadId.of("reports")))).containsExactly(next.id());
            get(process.store.cancel(BulkheadId.of("reports"), List.of("never"), Duration.ofSeconds(5)));
            assertThat(get(semaphore.revoke(next.id()))).isTrue();
            await().atMost(30, TimeUnit.SECONDS).until(() -> !process.losses.isEmpty());
            get(waiter.end());
            assertThat(get(process.store.inUse(10)).incomplete()).isEmpty();
            assertThat(get(semaphore.holders())).isEmpty();
            addManyHolders(redis);
            assertThat(get(semaphore.status()).inUse()).isEqualTo(1_500);
            assertThat(called(redis)).as("every permission is needed").containsAll(kind.commands().stream()
                    .filter(command -> !RARE.contains(command)).toList());
        } finally {
            redis.close();
        }
    }

    private static void simulateClockSetBackByAnHour(TestRedis redis) {
        String state = new String(new BulkheadKeys("test", BulkheadId.of("reports")).of(BulkheadKeys.Part.STATE));
        redis.command("HSET", state, "last ticket", (System.currentTimeMillis() + Duration.ofHours(1).toMillis()) * 1_000);
    }

    private static void addExpiredHolder(TestRedis redis) {
        String holders = new String(new BulkheadKeys("test", BulkheadId.of("reports")).of(BulkheadKeys.Part.HOLDERS));
        redis.command("ZADD", holders, System.currentTimeMillis() - 1_000, "ended");
    }

    private static void addManyHolders(TestRedis redis) {
        String holders = new String(new BulkheadKeys("test", BulkheadId.of("reports")).of(BulkheadKeys.Part.HOLDERS));
        // In one call: one by one may take longer than a lease on a busy machine.
        redis.command("EVAL", "for i = 1, 1500 do redis.call('ZADD', KEYS[1], ARGV[1], 'other' .. i) end", 1, holders,
                System.currentTimeMillis() + Duration.ofMinutes(1).toMillis());
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
