package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** With the local store, each release may serve the next waiter on the same thread. */
class LongQueueTest {

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void longQueueIsServedOnOneThread(boolean fair) {
        ManualTimers timers = new ManualTimers();
        LocalPermitStore store = new LocalPermitStore(timers::nanoTime, 1_000_000);
        SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), loss -> {
        }, true, new WaiterLimits(Integer.MAX_VALUE));
        Semaphore semaphore = engine.semaphore(
                SemaphoreSpec.named("reports").permits(1).fair(fair).maxWait(Duration.ofMinutes(5)).build());
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
        assertThat(store.occupancy(BulkheadId.of("reports"), 0).toCompletableFuture().join().inUse()).isZero();
        assertThat(timers.planned()).as("one renewal timer").isEqualTo(1);
    }
}
