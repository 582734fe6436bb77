package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.concurrent.CompletionStage;

/**
 * One execution's way through its bulkheads, from the request for permits until they are given back. Safe for use by
 * many threads.
 */
public interface Admission {

    /**
     * Whether the execution may run.
     *
     * @return completes when all permits are held; fails with
     *         {@link io.quarkiverse.redisbulkhead.BulkheadFullException} or
     *         {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException}, and then no permit is kept.
     *         Cancelling it has no effect; call {@link #end()}.
     */
    CompletionStage<Void> granted();

    /**
     * Ends the execution, or the wish for it: permits that are held are given back, and so are those that are granted
     * later. Calling it again has no effect.
     *
     * @return completes when the permits are given back, or when that has been left to the background because the
     *         store gives no answer; never fails
     */
    CompletionStage<Void> end();
}
