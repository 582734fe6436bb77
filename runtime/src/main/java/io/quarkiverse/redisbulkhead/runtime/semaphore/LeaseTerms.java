package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;

/**
 * What a definition means for leases. Derived once, not per call.
 *
 * @param lease the lease in the store: {@code expire}, but not longer than it takes to end here with {@code max-hold}
 * @param leaseNanos the same
 * @param margin by how much a lease ends here before it ends in the store
 * @param marginNanos the same
 * @param holdNanos for how long a permit may be held, if that is bounded
 * @param holdIsBounded whether it is
 * @param interrupts whether the loss of a permit ends its execution
 */
record LeaseTerms(Duration lease, long leaseNanos, Duration margin, long marginNanos, long holdNanos, boolean holdIsBounded,
        boolean interrupts) {

    // Time to notice the end of a lease and to report it before another process can have the permit. Clocks also run at slightly
    // different rates.
    private static final int MARGINS_PER_LEASE = 20;
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(1);

    static LeaseTerms of(SemaphoreSpec spec) {
        Duration longestHere = shorter(spec.maxHold().orElse(spec.expire()), spec.expire());
        Duration margin = shorter(longestHere.dividedBy(MARGINS_PER_LEASE), LONGEST_MARGIN);
        Duration lease = shorter(longestHere.plus(margin), spec.expire());
        return new LeaseTerms(lease, lease.toNanos(), margin, margin.toNanos(), spec.maxHold().orElse(lease).toNanos(),
                spec.maxHold().isPresent(), spec.onLost() == OnLost.INTERRUPT);
    }

    /**
     * The margin of the first lease after a hand-over, which may be much shorter than the others: what remains of it after a
     * margin of the whole lease would often not be enough to learn of the hand-over.
     */
    long handOverMarginNanos() {
        return Math.min(marginNanos, HandOver.firstLease(lease).toNanos() / MARGINS_PER_LEASE);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
