package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.semaphore.NestedCallRejectedException;
import io.quarkiverse.redisbulkhead.runtime.semaphore.QueueFullException;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;

/**
 * The admission to a lock: where the bulkhead behind it is full, the lock is held by another.
 *
 * @param lock the lock's name
 * @param admission to the bulkhead behind it
 */
record LockAdmission(String lock, Admission admission) implements Admission {

    @Override
    public List<HeldPermit> heldNow() {
        return admission.heldNow();
    }

    @Override
    public CompletionStage<List<HeldPermit>> granted() {
        return admission.granted().exceptionallyCompose(rejection -> CompletableFuture.failedStage(translated(rejection)));
    }

    private Throwable translated(Throwable rejection) {
        Throwable cause = Failures.cause(rejection);
        if (cause instanceof QueueFullException full) {
            return new LockNotAcquiredException(
                    "Lock '" + lock + "' is not free, and the call cannot wait: " + full.reason(), lock,
                    full.nearestLeaseEnd());
        }
        if (cause instanceof NestedCallRejectedException nested) {
            return new LockNotAcquiredException(
                    "Lock '" + lock + "' is held by a call around this one, which would wait for itself,"
                            + " as locks are not reentrant. Lock only once, and pass the Permit on",
                    lock, nested.nearestLeaseEnd());
        }
        return cause instanceof BulkheadFullException full ? new LockNotAcquiredException(lock, full.nearestLeaseEnd()) : cause;
    }

    @Override
    public CompletionStage<Void> attempted() {
        return admission.attempted();
    }

    @Override
    public CompletionStage<Void> end() {
        return admission.end();
    }
}
