package io.quarkiverse.redisbulkhead.runtime.store;

/**
 * An event that a store reports unasked. A notice may come late, twice, before the answer to its request, or not at all.
 */
public sealed interface Notice {

    /**
     * A waiter of this process holds a permit now.
     *
     * @param permitId the permit
     * @param handOver what was given
     */
    record HandedOver(String permitId, HandOver handOver) implements Notice {
    }

    /**
     * A permit is free, and this waiter may request it again. Other callers may be faster.
     *
     * @param permitId the waiter
     */
    record PermitFree(String permitId) implements Notice {
    }

    /**
     * An operator has taken this permit away.
     *
     * @param permitId the permit
     */
    record Revoked(String permitId) implements Notice {
    }

    /**
     * This permit of this process does not exist any more.
     *
     * @param permitId the permit
     */
    record Gone(String permitId) implements Notice {
    }

    /** Notices may have been lost until now, or the availability of the store changed: waiters should poll. */
    record NoticesMissed() implements Notice {
    }

    /**
     * The connection to the store was lost and restored. What the store confirmed before may be lost, for example when a
     * failover has promoted a replica that did not have it yet.
     */
    record Reconnected() implements Notice {
    }
}
