package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What callers see of an admission until its outcome is known, and then. Futures are created on demand: an immediate grant
 * needs none. Thread-safe.
 */
public abstract class PendingAdmission implements Admission {

    /** A future that callers cannot cancel; asynchronous libraries try to. */
    public static final class Promise<T> extends CompletableFuture<T> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }

    // Guarded by this. At most one of the first two is set, and then it is final.
    private List<HeldPermit> permits;
    private Throwable rejection;
    private boolean mustWait;
    private Promise<List<HeldPermit>> granted;
    private Promise<Void> attempted;

    /** All permits are held. */
    protected final void completeGranted(List<HeldPermit> held) {
        decide(held, null);
    }

    /** No permit is held, and none will be granted. */
    protected final void completeRejected(Throwable reason) {
        decide(null, reason);
    }

    private void decide(List<HeldPermit> held, Throwable reason) {
        Promise<List<HeldPermit>> outcome;
        Promise<Void> answered;
        synchronized (this) {
            permits = held;
            rejection = reason;
            outcome = granted;
            answered = attempted;
        }
        // The outcome first: a caller that waits for attempted() looks at it next.
        complete(outcome, held, reason);
        complete(answered, null, null);
    }

    /** It is known that the call must wait. */
    protected final void completeAttempted() {
        Promise<Void> answered;
        synchronized (this) {
            mustWait = true;
            answered = attempted;
        }
        complete(answered, null, null);
    }

    private static <T> void complete(Promise<T> promise, T value, Throwable failure) {
        if (promise != null && failure == null) {
            promise.complete(value);
        } else if (promise != null) {
            promise.completeExceptionally(failure);
        }
    }

    private boolean isDecided() {
        return permits != null || rejection != null;
    }

    @Override
    public final synchronized List<HeldPermit> heldNow() {
        return permits == null ? List.of() : permits;
    }

    @Override
    public final synchronized boolean isHeldNow() {
        return permits != null;
    }

    @Override
    public final synchronized CompletionStage<List<HeldPermit>> granted() {
        if (granted == null) {
            granted = new Promise<>();
            if (isDecided()) {
                complete(granted, permits, rejection);
            }
        }
        return granted;
    }

    @Override
    public final synchronized CompletionStage<Void> attempted() {
        if (attempted == null) {
            attempted = new Promise<>();
            if (isDecided() || mustWait) {
                attempted.complete(null);
            }
        }
        return attempted;
    }
}
