package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the permits of bulkheads. Every method is one atomic step of the store, by the store's own clock, never by
 * the caller's.
 * <p>
 * All methods are asynchronous, may be called from any thread and never block. Stages complete on a thread of the
 * store's; do not block it. A failure is told by the stage and never thrown. Where the store gives no answer, a stage
 * fails with {@link StoreException}.
 */
public interface PermitStore {

    /** How many ids {@link #cancel} takes at once. */
    int MAX_CANCELLED_AT_ONCE = 100;

    /**
     * Takes a permit if fewer than the limit are held. Asking again with the same permit id answers with the same
     * permit.
     *
     * @param request what to take
     * @return the answer
     */
    CompletionStage<AcquireReply> acquire(AcquireRequest request);

    /**
     * Gives a permit back.
     *
     * @param bulkhead the bulkhead's name
     * @param permitId the permit
     * @return {@code false} when it was certainly not held any more, because its lease had ended or it never existed;
     *         {@code true} when it was, and also when the request had to be sent twice, as the first copy may have
     *         done the work
     */
    CompletionStage<Boolean> release(String bulkhead, String permitId);

    /**
     * Undoes acquires whose outcome is not known: gives the permits back if they were granted, and refuses to grant
     * them if their requests are still on the way.
     *
     * @param bulkhead the bulkhead's name
     * @param permitIds the permits, from 1 to {@value #MAX_CANCELLED_AT_ONCE}
     * @param forgetAfter after what time no such request can arrive any more
     * @return completes when done
     */
    CompletionStage<Void> cancel(String bulkhead, List<String> permitIds, Duration forgetAfter);

    /**
     * Tells how many permits are held and by whom, the lease that ends first coming first.
     *
     * @param bulkhead the bulkhead's name
     * @param most how many holders to list, from 0 to 1,000; the number in use counts all of them
     * @return the state at one instant
     */
    CompletionStage<Occupancy> occupancy(String bulkhead, int most);
}
