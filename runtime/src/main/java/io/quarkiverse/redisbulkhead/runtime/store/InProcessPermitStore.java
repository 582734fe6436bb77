package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A store in the memory of this process. Completes synchronously; the uncontended path allocates no futures.
 */
public interface InProcessPermitStore extends PermitStore {

    /** No permit was taken. */
    long NONE_FREE = 0;

    /**
     * Acquires a permit like {@link #acquire} if one is free and no waiter is before the caller. Otherwise it changes nothing,
     * and the caller may wait with {@link #acquire}.
     *
     * @param request the request, with a new permit id; its place is ignored
     * @return the fencing token, or {@link #NONE_FREE}
     */
    long takeIfFree(AcquireRequest request);

    /**
     * As {@link #release(BulkheadId, String, Duration)}.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @param minHold how long the permit stays taken, from its start; zero: it is free at once
     * @return {@code false} when no permit was held
     */
    boolean releaseNow(BulkheadId bulkhead, String permitId, Duration minHold);
}
