package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;

/**
 * Heavy calls of two processes that share a Redis. In other libraries, callers waiting for several permits are never woken in
 * these cases: Redisson #6664 and #6687.
 */
@ParameterizedClass
@EnumSource(TestStore.class)
class HeavyCallsTest {

    static TestRedis redis;

    @Parameter
    TestStore kind;

    TestProcess first;
    TestProcess second;

    @BeforeAll
    static void start() {
        redis = new TestRedis();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void connect() {
        redis.command("FLUSHALL");
        first = new TestProcess(redis, kind);
        second = new TestProcess(redis, kind);
    }

    @AfterEach
    void disconnect() {
        first.close();
        second.close();
    }

    private static SemaphoreSpec spec(int permits, int weight, boolean fair) {
        return SemaphoreSpec.named("reports").permits(permits).weight(weight).fair(fair).maxWait(Duration.ofMinutes(1)).build();
    }

    private static CompletableFuture<?> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static void awaitGranted(Admission admission) {
        assertThat(granted(admission)).succeedsWithin(60, TimeUnit.SECONDS);
    }

    private static Admission held(Semaphore semaphore) {
        Admission admission = semaphore.admit("Test#hold");
        awaitGranted(admission);
        return admission;
    }

    private static void awaitWaiting(Semaphore semaphore, int waiters) {
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> semaphore.status().toCompletableFuture().join().waiting() == waiters);
    }

    private static int inUse(Semaphore semaphore) {
        return semaphore.status().toCompletableFuture().join().inUse();
    }

    /** Redisson #6664: permits released one by one wake a caller that waits for all of them. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void permitsReleasedOneByOneServeAHeavyWaiter(boolean fair) {
        Semaphore light = first.semaphore(spec(3, 1, fair));
        List<Admission> holders = IntStream.range(0, 3).mapToObj(i -> held(light)).toList();
        Admission heavy = second.semaphore(spec(3, 3, fair)).admit("Test#heavy");
        awaitWaiting(light, 1);

        holders.forEach(Admission::end);

        awaitGranted(heavy);
        assertThat(inUse(light)).isEqualTo(3);
        heavy.end();
        await().atMost(60, TimeUnit.SECONDS).until(() -> inUse(light) == 0);
    }

    /** Redisson #6687: a queue of callers with different weights. */
    @Test
    void callersOfDifferentWeightsAreServedInOrder() {
        List<Integer> served = new ArrayList<>();
        Admission all = held(first.semaphore(spec(4, 4, true)));
        List<Admission> waiters = new ArrayList<>();
        int[] weights = { 3, 2, 4, 1, 2, 3, 1, 1, 4 };
        for (int i = 0; i < weights.length; i++) {
            int number = i;
            TestProcess process = i % 2 == 0 ? second : first;
            Admission waiter = process.semaphore(spec(4, weights[i], true)).admit("Test#wait");
            waiter.granted().thenRun(() -> {
                synchronized (served) {
                    served.add(number);
                }
                waiter.end();
            });
            waiters.add(waiter);
            awaitWaiting(first.semaphore(spec(4, 1, true)), i + 1);
        }

        all.end();

        waiters.forEach(HeavyCallsTest::awaitGranted);
        // Callbacks of concurrent executions may run in any order.
        assertThat(served).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(served.indexOf(0)).isLessThan(served.indexOf(2));
        assertThat(served.indexOf(1)).isLessThan(served.indexOf(2));
        assertThat(served.indexOf(2)).isLessThan(served.indexOf(3));
        assertThat(served.indexOf(8)).isEqualTo(8);
    }
}
