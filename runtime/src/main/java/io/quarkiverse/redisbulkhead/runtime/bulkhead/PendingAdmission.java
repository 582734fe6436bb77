package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What callers see of an admission whose outcome is not known yet. Thread-safe. */
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

    private final Promise<List<HeldPermit>> granted = new Promise<>();
    private final Promise<Void> attempted = new Promise<>();

    /** All permits are held. */
    protected final void completeGranted(List<HeldPermit> held) {
        // The outcome first: a caller that waits for attempted() looks at it next.
        granted.complete(held);
        attempted.complete(null);
    }

    /** No permit is held, and none will be granted. */
    protected final void completeRejected(Throwable reason) {
        granted.completeExceptionally(reason);
        attempted.complete(null);
    }

    /** It is known that the call must wait. */
    protected final void completeAttempted() {
        attempted.complete(null);
    }

    @Override
    public final List<HeldPermit> heldNow() {
        return granted.isDone() && !granted.isCompletedExceptionally() ? granted.join() : List.of();
    }

    @Override
    public final CompletionStage<List<HeldPermit>> granted() {
        return granted;
    }

    @Override
    public final CompletionStage<Void> attempted() {
        return attempted;
    }
}
