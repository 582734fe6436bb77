package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;

/** Each release may serve the next waiter on the same thread. */
class LongQueueTest extends TwoInstances {

    @ParameterizedTest
    @CsvSource({ "true, true", "true, false", "false, true", "false, false" })
    void longQueueIsServedOnOneThread(boolean local, boolean fair) {
        Engine engine = local ? new Engine("local", one.clock(), new HolderIdentity("app", "host:1"), loss -> {
        }, new WaiterLimits(0)) : one.engine;
        Semaphore semaphore = new Semaphore(engine,
                SemaphoreSpec.named("work").permits(1).fair(fair).maxWait(Duration.ofMinutes(5)).build(), true);
        AtomicInteger served = new AtomicInteger();
        Admission holder = semaphore.admit("A#hold");
        for (int i = 0; i < 5_000; i++) {
            Admission waiter = semaphore.admit("A#wait");
            waiter.granted().thenRun(() -> {
                served.incrementAndGet();
                waiter.end();
            });
        }

        holder.end();

        assertThat(served).hasValue(5_000);
        assertThat(engine.occupancy(WORK, 0).toCompletableFuture().join().inUse()).isZero();
        assertThat(one.planned()).as("one timer of the bulkhead").isEqualTo(1);
    }
}
