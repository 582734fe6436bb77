package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/** The reply to an {@link AcquireRequest}. */
public sealed interface AcquireReply {

    /**
     * Whether a copy of the request may still be in flight, because it had to be sent twice. When the caller has no
     * use for a permit any more, such a copy must be {@linkplain PermitStore#cancel refused}.
     *
     * @return {@code false} if no copy of the request can follow
     */
    boolean copyMayFollow();

    /**
     * The permit is the caller's.
     *
     * @param ticket its fencing token
     * @param copyMayFollow see {@link AcquireReply#copyMayFollow()}
     */
    record Granted(long ticket, boolean copyMayFollow) implements AcquireReply {
    }

    /**
     * All permits are held by others.
     *
     * @param limit the limit in force
     * @param nearestLeaseEnd how long until the first of their leases ends
     * @param copyMayFollow see {@link AcquireReply#copyMayFollow()}
     */
    record Full(int limit, Duration nearestLeaseEnd, boolean copyMayFollow) implements AcquireReply {
    }

    /**
     * All permits are held by others, or promised to others, and the caller is among the waiters now.
     *
     * @param limit the limit in force
     * @param nearestLeaseEnd how long until the first of the current leases ends
     * @param storeMillis the clock of the store, in milliseconds since the epoch
     * @param ticket its place in the queue, the lower the earlier; 0 when it is not fair
     * @param copyMayFollow see {@link AcquireReply#copyMayFollow()}
     */
    record Waiting(int limit, Duration nearestLeaseEnd, long storeMillis, long ticket, boolean copyMayFollow)
            implements
                AcquireReply {
    }

    /** The request had been undone by {@link PermitStore#cancel} before it arrived. */
    record Cancelled() implements AcquireReply {

        @Override
        public boolean copyMayFollow() {
            return false;
        }
    }
}
