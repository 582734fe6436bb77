package io.quarkiverse.redisbulkhead.benchmarks.handover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnApplication;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/**
 * One of two runners who hand a single permit to and fro. Each gives it back when it sees the other one wait for it, so that
 * each permit that is given back is handed over.
 */
final class Relay {

    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("relay").permits(1).fair(true)
            .expire(Duration.ofMinutes(1)).maxWait(Duration.ofMinutes(1)).build();

    private final Semaphore semaphore;
    private final List<Long> taken = new ArrayList<>();
    private final List<Long> givenBack = new ArrayList<>();

    Relay(OwnApplication application) {
        this.semaphore = application.semaphore(SPEC);
    }

    /**
     * Runs.
     *
     * @param rounds how often it takes the permit
     * @param last whether nobody waits for the permit at the end
     */
    void run(int rounds, boolean last) throws Exception {
        for (int round = 1; round <= rounds; round++) {
            Admission admission = semaphore.admit("relay");
            admission.granted().toCompletableFuture().get();
            taken.add(System.nanoTime());
            if (round < rounds || !last) {
                awaitOther();
            }
            givenBack.add(System.nanoTime());
            admission.end().toCompletableFuture().join();
        }
    }

    private void awaitOther() throws Exception {
        while (semaphore.status().toCompletableFuture().get().waiting() == 0) {
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
