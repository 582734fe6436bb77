package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;

/**
 * Begins executions, each with the permits of one or several bulkheads, and counts those that wait or run, so that a shutdown
 * can wait for them. Thread-safe.
 */
public final class Executions {

    private final AtomicInteger inFlight = new AtomicInteger();
    // Null unless something waits until no execution is in flight.
    private final AtomicReference<CompletableFuture<Void>> idle = new AtomicReference<>();
    private final Runnable whenEnded = this::ended;

    /**
     * Begins an execution.
     *
     * @param semaphores in the order in which permits are acquired, at least one
     * @param method what the permits are for, as operators see it
     * @param waitsOn what the call occupies while it waits
     * @return its admission; rejected when the application is stopping
     */
    public Admission admit(List<Semaphore> semaphores, String method, WaitsOn waitsOn) {
        inFlight.incrementAndGet();
        try {
            if (semaphores.size() == 1) {
                return semaphores.get(0).admit(method, waitsOn, whenEnded);
            }
            Chain chain = new Chain(semaphores.stream().map(semaphore -> semaphore.prepare(method, waitsOn)).toList());
            chain.beginFrom(0);
            return chain;
        } catch (RuntimeException | Error e) {
            ended();
            throw e;
        }
    }

    private void ended() {
        if (inFlight.decrementAndGet() == 0) {
            completeIdle();
        }
    }

    /**
     * Waits until no execution is in flight.
     *
     * @return completes when none is in flight
     */
    public CompletionStage<Void> idle() {
        CompletableFuture<Void> next = idle.updateAndGet(known -> known == null ? new CompletableFuture<>() : known);
        // The last one may have ended before.
        if (inFlight.get() == 0) {
            completeIdle();
        }
        return next.minimalCompletionStage();
    }

    private void completeIdle() {
        CompletableFuture<Void> reached = idle.get() == null ? null : idle.getAndSet(null);
        if (reached != null) {
            reached.complete(null);
        }
    }

    /**
     * Acquires several permits one after the other, and releases them in reverse order, without one release waiting for the
     * other. When one is rejected, those acquired before are released before the caller sees the rejection.
     */
    private final class Chain extends Admission.Pending {

        private final List<Supplier<Admission>> prepared;
        private final AtomicBoolean counted = new AtomicBoolean(true);

        // Guarded by this. What has begun does not change after the end: an admission that begins meanwhile ends immediately.
        private final List<Admission> begun;
        private boolean ended;

        private Chain(List<Supplier<Admission>> prepared) {
            this.prepared = prepared;
            this.begun = new ArrayList<>(prepared.size());
        }

        private void beginFrom(int first) {
            for (int index = first; index < prepared.size(); index++) {
                Admission next = prepared.get(index).get();
                if (!add(next)) {
                    next.end();
                    completeRejected(new CancellationException("The execution ended before all permits were acquired"));
                    return;
                }
                if (!next.isHeldNow()) {
                    await(next, index);
                    return;
                }
            }
            completeGranted(held());
        }

        private synchronized boolean add(Admission next) {
            return !ended && begun.add(next);
        }

        private synchronized List<HeldPermit> held() {
            List<HeldPermit> held = new ArrayList<>(begun.size());
            for (Admission admission : begun) {
                held.addAll(admission.heldNow());
            }
            return held;
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
                    beginFrom(index + 1);
                } else {
                    release().whenComplete((done, none) -> completeRejected(Failures.cause(rejection)));
                }
            });
        }

        // Admissions end once, and answer the same each time.
        private CompletionStage<Void> release() {
            CompletableFuture<?>[] ends;
            synchronized (this) {
                ended = true;
                ends = new CompletableFuture<?>[begun.size()];
            }
            for (int index = ends.length - 1; index >= 0; index--) {
                ends[index] = begun.get(index).end().toCompletableFuture();
            }
            return CompletableFuture.allOf(ends);
        }

        @Override
        public CompletionStage<Void> end() {
            CompletionStage<Void> answered = release();
            if (counted.compareAndSet(true, false)) {
                Executions.this.ended();
            }
            return answered;
        }
    }
}
