package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;

/**
 * Trap 21: keys used once leave nothing in Redis or in the memory of the application. 2,500 keys by default; {@code
 * -Dkeys=1000000} uses a million.
 */
@ParameterizedClass
@EnumSource(TestStore.class)
class ManyKeysTest {

    static final int KEYS = Integer.getInteger("keys", 2_500);

    // Few enough that the last reply arrives within its lease, also on a busy machine.
    static final int AT_ONCE = 100;

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("tenants").permits(2).expire(Duration.ofSeconds(10))
            .maxWait(Duration.ofSeconds(60)).build();

    /** The longest time to live of unused data, except for resized limits. */
    static final long LONGEST_MILLIS = 61_000;

    @Parameter
    TestStore kind;

    @Test
    void keysUsedOnceLeaveNothing() {
        try (TestRedis redis = new TestRedis(); TestProcess process = new TestProcess(redis, kind)) {
            List<WeakReference<String>> keys = useEachKeyOnce(process);

            await().atMost(60, TimeUnit.SECONDS).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
                System.gc();
                assertThat(keys.stream().filter(key -> key.get() != null).count()).as("keys in memory").isZero();
            });
            assertThat(process.losses).isEmpty();
            assertThat(shortestAndLongestTimeToLive(redis)).as("times to live in Redis")
                    .allSatisfy(millis -> assertThat(millis).isBetween(0L, LONGEST_MILLIS));
        }
    }

    private static List<WeakReference<String>> useEachKeyOnce(TestProcess process) {
        List<WeakReference<String>> keys = new ArrayList<>();
        Semaphore inFlight = new Semaphore(AT_ONCE);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < KEYS; i++) {
            String key = "tenant " + i;
            keys.add(new WeakReference<>(key));
            inFlight.acquireUninterruptibly();
            Admission admission = process.semaphore(SPEC).forKey(key, i % 2 == 0 ? OptionalInt.empty() : OptionalInt.of(20))
                    .admit("Shop#order");
            admission.granted().thenCompose(permits -> admission.end()).whenComplete((ended, failure) -> {
                if (failure != null) {
                    failures.add(failure);
                }
                inFlight.release();
            });
        }
        inFlight.acquireUninterruptibly(AT_ONCE);
        assertThat(failures).isEmpty();
        return keys;
    }

    private static List<Long> shortestAndLongestTimeToLive(TestRedis redis) {
        return redis.command("EVAL", """
                local least, most = 0, 0
                for _, key in ipairs(redis.call('KEYS', '*')) do
                    local left = redis.call('PTTL', key)
                    least, most = math.min(least, left), math.max(most, left)
                end
                return {least, most}""", "0").stream().map(millis -> millis.toLong()).toList();
    }
}
