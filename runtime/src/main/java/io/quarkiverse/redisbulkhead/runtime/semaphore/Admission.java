package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One execution's way through its bulkheads, from the request for permits until they are given back. Safe for use by
 * many threads.
 */
public interface Admission {

    /**
     * Whether the execution may run.
     *
     * @return completes with the permits, in the order in which they were taken, when all of them are held; fails with
     *         {@link io.quarkiverse.redisbulkhead.BulkheadFullException},
     *         {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException} or
     *         {@link io.quarkiverse.redisbulkhead.BulkheadContendedException}, and then no permit is kept.
     *         Cancelling it has no effect; call {@link #end()}.
     */
    CompletionStage<List<HeldPermit>> granted();

    /**
     * The permits, if all of them are held already: so that whoever need not wait is spared the ways of waiting.
     *
     * @return empty as long as the execution may not run; and where {@link #granted()} has to be asked
     */
    default List<HeldPermit> heldNow() {
        return List.of();
    }

    /**
     * Whether it is clear if the execution must wait.
     *
     * @return completes when {@link #granted()} does, or as soon as a permit must be waited for; in bounded time, and
     *         never fails
     */
    CompletionStage<Void> asked();

    /**
     * Ends the execution, or the request for it: releases the permits that are held and those that are granted later, and
     * gives up places among the waiters. When this method returns, the releases have been handed to the store: later requests
     * of this process come behind them. Calling it again has no effect.
     *
     * @return already complete, except for bulkheads with {@link io.quarkiverse.redisbulkhead.SemaphoreSpec#awaitRelease()}:
     *         then it completes when the store has answered the releases, or has failed to and they are repeated in the
     *         background; never fails
     */
    CompletionStage<Void> end();
}
