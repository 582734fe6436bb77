package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.function.IntFunction;

/**
 * A store in the memory of this process. Completes synchronously; the uncontended path allocates nothing but the permit.
 */
public interface InProcessPermitStore extends PermitStore {

    /** A permit that {@link #takeIfFree} gave. Thread-safe. */
    interface Taken {

        /** Its id, which is issued when it is asked for: most executions end before. */
        String id();

        /** Its fencing token. */
        long ticket();
    }

    /**
     * Acquires a permit like {@link #acquire} if one is free and no waiter is before the caller. Otherwise it changes nothing,
     * and the caller may wait with {@link #acquire}.
     *
     * @param terms what to take
     * @param ids issues the id of a permit of that weight
     * @return the permit; null when none is free
     */
    Taken takeIfFree(PermitTerms terms, IntFunction<String> ids);

    /**
     * As {@link #release(BulkheadId, String, Duration)}.
     *
     * @param permit a permit that this store gave
     * @param minHold how long the permit stays taken, from its start; zero: it is free at once
     * @return {@code false} when it was no longer held
     */
    boolean releaseNow(Taken permit, Duration minHold);

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
