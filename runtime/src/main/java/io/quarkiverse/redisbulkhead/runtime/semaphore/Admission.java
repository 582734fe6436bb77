package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** The permits of one execution, from the request until they are released. Thread-safe. */
public interface Admission {

    /**
     * The outcome.
     *
     * @return completes with the permits, in the order in which they were acquired, when all of them are held; fails with
     *         {@link io.quarkiverse.redisbulkhead.BulkheadFullException},
     *         {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException} or
     *         {@link io.quarkiverse.redisbulkhead.BulkheadContendedException}, and then no permit is kept.
     *         Cancelling it has no effect; call {@link #end()}.
     */
    CompletionStage<List<HeldPermit>> granted();

    /**
     * The permits, if all of them are held already. The uncontended path needs no futures by this.
     *
     * @return empty as long as the execution may not run, or where only {@link #granted()} has the outcome
     */
    default List<HeldPermit> heldNow() {
        return List.of();
    }

    /**
     * Completes as soon as it is known whether the execution must wait.
     *
     * @return completes when {@link #granted()} does, or as soon as the execution must wait; in bounded time; never fails
     */
    CompletionStage<Void> attempted();

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
}
