package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A store in the memory of this process. Whoever asks it need not wait, so most calls go without the objects that a wait
 * takes.
 */
public interface InProcessPermitStore extends PermitStore {

    /** No permit was taken. */
    long NONE_FREE = 0;

    /**
     * Takes a permit as {@link #acquire} does, if one is free and nobody is before the caller. Else it does nothing: the
     * caller may then wait by {@link #acquire}.
     *
     * @param request what to take, by an id that was not used before; the place is of no matter
     * @return the fencing token, or {@link #NONE_FREE}
     * @throws IllegalArgumentException when the request is out of bounds
     */
    long takeIfFree(AcquireRequest request);

    /**
     * As {@link #release(BulkheadId, String, Duration)}.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @param minHold how long the permit is taken at least, from its start; zero: it is free at once
     * @return {@code false} when no permit was held
     */
    boolean releaseNow(BulkheadId bulkhead, String permitId, Duration minHold);
}
