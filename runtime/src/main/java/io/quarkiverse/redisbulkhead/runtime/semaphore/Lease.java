package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * A lease that the {@link LeaseRenewer} renews. It ends here a little earlier than in the store: it counts from before the
 * request was sent, and a margin is subtracted.
 */
abstract class Lease {

    // The store counts in milliseconds, so a lease that ends less than one before max-hold ends with it.
    private static final long ONE_MILLI = Duration.ofMillis(1).toNanos();

    private static final int RENEWALS_PER_LEASE = 3;

    // Position in the renewer's list. Part of the lease, so that a short execution allocates nothing for it. Guarded by that list.
    Lease before;
    Lease after;
    boolean kept;
    boolean renewing;
    long renewAt;

    private final SemaphoreDefinition bulkhead;
    private final String id;
    private final long holdEndNanos;
    private final long firstEndInStoreNanos;
    private volatile long endNanos;

    /**
     * @param sinceNanos when the permit started
     * @param endInStoreNanos when the first lease ends in the store, or earlier
     * @param marginNanos how much earlier that lease ends here
     */
    Lease(SemaphoreDefinition bulkhead, String id, long sinceNanos, long endInStoreNanos, long marginNanos) {
        this.bulkhead = bulkhead;
        this.id = id;
        this.holdEndNanos = sinceNanos + bulkhead.terms().holdNanos();
        this.firstEndInStoreNanos = endInStoreNanos;
        this.endNanos = endInStoreNanos - marginNanos;
    }

    /** The permit is lost, unless it was released or detached. */
    abstract void lose(Reason reason);

    /** The application stops: reports the permit as lost and releases it, although its execution still runs. */
    abstract void releaseRunning();

    /** The id of the permit. */
    public final String id() {
        return id;
    }

    final SemaphoreDefinition definition() {
        return bulkhead;
    }

    final BulkheadId bulkheadId() {
        return bulkhead.id();
    }

    /** When the lease ends here. */
    final long endNanos() {
        return endNanos;
    }

    /** When to renew the first lease, which is shorter than the others after a hand-over. */
    final long firstRenewalAt(long nowNanos) {
        return nowNanos + Math.min(renewalInterval(), (firstEndInStoreNanos - nowNanos) / RENEWALS_PER_LEASE);
    }

    final long renewalInterval() {
        return bulkhead.terms().leaseNanos() / RENEWALS_PER_LEASE;
    }

    /** How long a lease that starts at that time should be in the store: here it must not exceed {@code max-hold}. */
    final Duration next(long fromNanos) {
        LeaseTerms terms = bulkhead.terms();
        if (!terms.holdIsBounded()) {
            return terms.lease();
        }
        Duration left = Duration.ofNanos(holdEndNanos - fromNanos).plus(terms.margin());
        return left.compareTo(terms.lease()) < 0 ? left : terms.lease();
    }

    /** The store renewed the lease at least until then. */
    final void renewedUntil(long endInStoreNanos) {
        endNanos = Math.max(endNanos, endInStoreNanos - bulkhead.terms().marginNanos());
    }

    /** Why the permit is lost when the lease has ended. */
    final Reason reasonOfEnd() {
        return bulkhead.terms().holdIsBounded() && holdEndNanos - endNanos < ONE_MILLI ? Reason.MAX_HOLD : Reason.LEASE_ENDED;
    }
}
