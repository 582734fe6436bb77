package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.PermitLost;

/** The permits of one execution, from the request until they are released. Thread-safe. */
public interface Admission {

    /**
     * The permits, if all of them are held.
     *
     * @return in the order in which they were acquired; empty as long as the execution may not run
     */
    List<HeldPermit> heldNow();

    /**
     * Whether all permits are held. Lets the uncontended path avoid futures.
     *
     * @return {@code false} as long as the execution may not run
     */
    default boolean isHeldNow() {
        return !heldNow().isEmpty();
    }

    /**
     * The outcome.
     *
     * @return completes with the permits, in the order in which they were acquired, when all of them are held; fails with
     *         {@link io.quarkiverse.redisbulkhead.BulkheadFullException},
     *         {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException} or
     *         {@link io.quarkiverse.redisbulkhead.BulkheadContendedException}, and then no permit is kept.
     *         Cancelling it has no effect; call {@link #end()}.
     */
    default CompletionStage<List<HeldPermit>> granted() {
        return CompletableFuture.completedFuture(heldNow());
    }

    /**
     * Completes as soon as it is known whether the execution must wait.
     *
     * @return completes when {@link #granted()} does, or as soon as the execution must wait; in bounded time; never fails
     */
    default CompletionStage<Void> attempted() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * The losses that must end the execution.
     *
     * @return one for each permit that is held and has such a {@linkplain HeldPermit#interruption() loss}
     */
    default List<CompletionStage<PermitLost>> interruptions() {
        List<CompletionStage<PermitLost>> losses = List.of();
        for (HeldPermit permit : heldNow()) {
            if (permit.interruption().isPresent()) {
                losses = losses.isEmpty() ? new ArrayList<>() : losses;
                losses.add(permit.interruption().get());
            }
        }
        return losses;
    }

    /**
     * Ends the execution, or gives the request up: releases the permits that are held and those that are granted later, and
     * gives up places among the waiters. When this method returns, the releases have been handed to the store, and later
     * requests of this process come behind them. Idempotent.
     *
     * @return already complete, except for bulkheads with {@link io.quarkiverse.redisbulkhead.SemaphoreSpec#awaitRelease()}:
     *         then it completes when the store has answered the releases, or they continue in the background because it did
     *         not; never fails
     */
    CompletionStage<Void> end();

    /** What callers see of an admission whose outcome is not known yet. Thread-safe. */
    abstract class Pending implements Admission {

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
}
