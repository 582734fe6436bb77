package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.Failures;

/**
 * Begins executions, each with the permits of one or several bulkheads, and counts those that wait or run, so that a shutdown
 * can wait for them. Thread-safe.
 */
public final class Executions {

    private final InFlightCounter inFlight = new InFlightCounter();

    /**
     * Begins an execution.
     *
     * @param semaphores in the order in which permits are acquired, at least one
     * @param method what the permits are for, as operators see it
     * @param waitsOn what the call occupies while it waits
     * @return its admission; rejected when the application is stopping
     */
    public Admission admit(List<Semaphore> semaphores, String method, WaitsOn waitsOn) {
        inFlight.begin();
        try {
            return semaphores.size() == 1 ? semaphores.get(0).admit(method, waitsOn, inFlight)
                    : new Chain(semaphores.stream().map(semaphore -> semaphore.prepare(method, waitsOn)).toList());
        } catch (RuntimeException | Error e) {
            inFlight.end();
            throw e;
        }
    }

    /**
     * Waits until no execution is in flight.
     *
     * @return completes when none is in flight
     */
    public CompletionStage<Void> idle() {
        return inFlight.idle();
    }

    /**
     * Acquires several permits one after the other, and releases them in reverse order, without one release waiting for the
     * other. When one is rejected, those acquired before are released before the caller sees the rejection.
     */
    private final class Chain extends PendingAdmission {

        private final List<Supplier<Admission>> prepared;

        // Guarded by this.
        private final Deque<Admission> begun = new ArrayDeque<>();
        private final List<HeldPermit> held = new ArrayList<>();
        private CompletableFuture<Void> released;
        private boolean counted = true;

        private Chain(List<Supplier<Admission>> prepared) {
            this.prepared = prepared;
            begin(0);
        }

        private void begin(int first) {
            for (int index = first; index < prepared.size(); index++) {
                Admission next = null;
                synchronized (this) {
                    if (released == null) {
                        next = prepared.get(index).get();
                        begun.push(next);
                    }
                }
                if (next == null) {
                    completeRejected(new CancellationException("The execution ended before all permits were acquired"));
                    return;
                }
                List<HeldPermit> permits = next.heldNow();
                if (permits.isEmpty()) {
                    await(next, index);
                    return;
                }
                add(permits);
            }
            completeGranted(held());
        }

        private synchronized void add(List<HeldPermit> permits) {
            held.addAll(permits);
        }

        private synchronized List<HeldPermit> held() {
            return List.copyOf(held);
        }

        private void await(Admission next, int index) {
            CompletableFuture<List<HeldPermit>> outcome = next.granted().toCompletableFuture();
            next.attempted().thenRun(() -> {
                if (!outcome.isDone()) {
                    completeAttempted();
                }
            });
            outcome.whenComplete((permits, rejection) -> {
                if (rejection == null) {
                    add(permits);
                    begin(index + 1);
                } else {
                    release().whenComplete((done, none) -> completeRejected(Failures.cause(rejection)));
                }
            });
        }

        private synchronized CompletionStage<Void> release() {
            if (released == null) {
                List<CompletableFuture<Void>> ends = new ArrayList<>(begun.size());
                for (Admission admission : begun) {
                    ends.add(admission.end().toCompletableFuture());
                }
                released = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
            }
            return released.minimalCompletionStage();
        }

        @Override
        public CompletionStage<Void> end() {
            CompletionStage<Void> answered = release();
            boolean first;
            synchronized (this) {
                first = counted;
                counted = false;
            }
            if (first) {
                inFlight.end();
            }
            return answered;
        }
    }
}
