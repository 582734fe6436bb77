package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/** The answer to an {@link AcquireRequest}. */
public sealed interface AcquireReply {

    /**
     * The permit is the caller's.
     *
     * @param ticket its fencing token
     */
    record Granted(long ticket) implements AcquireReply {
    }

    /**
     * All permits are held by others.
     *
     * @param inUse how many are held
     * @param nearestLeaseEnd how long until the first of their leases ends
     */
    record Full(int inUse, Duration nearestLeaseEnd) implements AcquireReply {
    }

    /** The request had been undone by {@link PermitStore#cancel} before it arrived. */
    record Cancelled() implements AcquireReply {
    }
}
