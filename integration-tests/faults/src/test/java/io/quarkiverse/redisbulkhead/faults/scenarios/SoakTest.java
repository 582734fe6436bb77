package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Facts;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/**
 * Load with frequent small faults, for as long as {@code -Dfaults.soak} says. Compares what the applications and
 * Redis use at the end with what they used after warming up.
 * <p>
 * The default build runs it for ten seconds. That shows threads and connections that leak with each fault; memory and keys
 * need longer than the keys live.
 */
@Tag("soak")
class SoakTest {

    private static final Duration LONG = Duration.parse(System.getProperty("faults.soak", "PT10S"));
    /** By then, the first keys have expired. */
    private static final Duration KEYS_EXPIRED = Duration.ofSeconds(75);
    private static final boolean KEYS_EXPIRE = LONG.compareTo(KEYS_EXPIRED) > 0;
    /** Shows a leak per fault even in a short run. */
    private static final Duration BETWEEN_FAULTS = KEYS_EXPIRE ? Duration.ofSeconds(5) : Duration.ofMillis(500);
    private static final Duration WARM = KEYS_EXPIRE ? KEYS_EXPIRED : LONG.dividedBy(2);
    private static final int MANY_KEYS = 1_000_000;
    private static final long MEGABYTE = 1 << 20;

    private record Use(List<Facts> applications, long keys, long memory, long connections) {
    }

    /** Trap 13, Trap 21. */
    @Scenario(value = "sustained load, with connections closed and scripts flushed now and then", expected = "after 75 seconds, threads and connections no longer grow, memory grows by at most a quarter, and the number of keys by at most half")
    void nothingGrows(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(3, redis.url());
        for (WorkerProcess worker : workers) {
            worker.load("open", "sync", 2, 50).load("open", "uni", 2, 50).load("fair", "sync", 2, 50).load("fair", "uni", 2, 50)
                    .load("single", "sync", 1, 20).load("keyed", "uni", 2, 50, MANY_KEYS).load("keyed", "sync", 1, 50, 2);
        }
        soak(stage, redis, WARM);
        Use before = use(redis, workers);
        soak(stage, redis, LONG.minus(WARM));
        assertThatNothingGrew(redis, workers, before);
    }

    private static void soak(Stage stage, RedisProcess redis, Duration howLong) {
        long end = System.nanoTime() + howLong.toNanos();
        List<Runnable> faults = List.of(() -> redis.command("CLIENT", "KILL", "TYPE", "pubsub"),
                () -> redis.command("SCRIPT", "FLUSH"), () -> redis.command("CLIENT", "KILL", "TYPE", "normal"));
        for (int i = 0; System.nanoTime() < end; i++) {
            stage.fault(faults.get(i % faults.size()));
            stage.awaitRecovery("open", Duration.ofSeconds(2));
            long next = Math.min(end, System.nanoTime() + BETWEEN_FAULTS.toNanos());
            await("the next fault").atMost(BETWEEN_FAULTS.multipliedBy(2).plusSeconds(5))
                    .until(() -> System.nanoTime() >= next);
        }
    }

    private static Use use(RedisProcess redis, List<WorkerProcess> workers) {
        return new Use(workers.stream().map(WorkerProcess::facts).toList(), Long.parseLong(redis.command("DBSIZE")),
                info(redis, "memory", "used_memory:"), info(redis, "clients", "connected_clients:"));
    }

    private static long info(RedisProcess redis, String section, String field) {
        return redis.command("INFO", section).lines().filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.substring(field.length()).strip())).findFirst().orElseThrow();
    }

    /** Retries on growth, because a single measurement may follow right after a fault. */
    private static void assertThatNothingGrew(RedisProcess redis, List<WorkerProcess> workers, Use before) {
        await("what was there before").atMost(30, TimeUnit.SECONDS).pollInterval(2, TimeUnit.SECONDS).untilAsserted(() -> {
            Use after = use(redis, workers);
            System.out.println("After warming up: " + before + "; at the end: " + after);
            for (int i = 0; i < workers.size(); i++) {
                Facts earlier = before.applications().get(i);
                Facts later = after.applications().get(i);
                assertThat(later.threads()).as("threads").isLessThanOrEqualTo(earlier.threads() + 3);
                if (KEYS_EXPIRE) {
                    assertThat(later.heapBytes()).as("heap").isLessThan(earlier.heapBytes() * 5 / 4 + 2 * MEGABYTE);
                }
            }
            assertThat(after.connections()).as("connections").isLessThanOrEqualTo(before.connections());
            if (KEYS_EXPIRE) {
                assertThat(after.keys()).as("keys").isLessThan(before.keys() * 3 / 2 + 100);
                assertThat(after.memory()).as("memory of Redis").isLessThan(before.memory() * 3 / 2 + MEGABYTE);
            }
        });
    }
}
