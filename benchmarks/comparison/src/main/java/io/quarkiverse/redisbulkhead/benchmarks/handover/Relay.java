package io.quarkiverse.redisbulkhead.benchmarks.handover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnApplication;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;

/**
 * One of two runners who hand a single permit back and forth. Each releases it when it sees the other one wait for it, so that
 * each released permit is handed over.
 */
final class Relay {

    static final String BULKHEAD = "relay";

    private static final SemaphoreSpec SPEC = SemaphoreSpec.named(BULKHEAD).permits(1).fair(true)
            .expire(Duration.ofMinutes(1)).maxWait(Duration.ofMinutes(1)).build();

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Semaphore semaphore;
    private Admission held;
    private final List<Long> taken = new ArrayList<>();
    private final List<Long> givenBack = new ArrayList<>();

    Relay(OwnApplication application) {
        this.semaphore = application.semaphore(SPEC);
    }

    /** Takes the permit for the first time, so that a runner that starts from now on comes second. */
    void begin() throws Exception {
        held = semaphore.admit("relay");
        held.granted().toCompletableFuture().get();
        taken.add(System.nanoTime());
    }

    /**
     * Runs.
     *
     * @param rounds how often it takes the permit
     * @param last whether no caller waits for the permit at the end
     */
    void run(int rounds, boolean last) throws Exception {
        for (int round = 1; round <= rounds; round++) {
            if (held == null) {
                begin();
            }
            if (round < rounds || !last) {
                awaitOther();
            }
            givenBack.add(System.nanoTime());
            held.end().toCompletableFuture().join();
            held = null;
        }
    }

    private void awaitOther() throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (semaphore.status().toCompletableFuture().get().waiting() == 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("The other runner has not come for the permit within " + PATIENCE);
            }
            TimeUnit.MICROSECONDS.sleep(100);
        }
    }

    /** When it got the permit, by {@link System#nanoTime()}: on one machine, processes share that clock. */
    List<Long> taken() {
        return taken;
    }

    /** When it began to give the permit back. */
    List<Long> givenBack() {
        return givenBack;
    }
}
