package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.store.HandOver;

/**
 * When a lease ends by the clock of this process: never later than by the clock of the store.
 *
 * @param askedAt when the store was asked last, by this process's clock
 * @param storeMillis the store's clock in its answer, or {@link #UNKNOWN} while there is none
 */
record LeaseReckoning(long askedAt, long storeMillis) {

    static final long UNKNOWN = -1;

    static LeaseReckoning asking(long nowNanos) {
        return new LeaseReckoning(nowNanos, UNKNOWN);
    }

    LeaseReckoning answered(long millis) {
        return new LeaseReckoning(askedAt, millis);
    }

    /** The end of a lease that the store granted in its answer; the grant came after the question. */
    long endOfGrant(Duration lease) {
        return askedAt + lease.toNanos();
    }

    /** The end of a lease that the store granted by itself; its clock came after the question. */
    long endOf(HandOver handOver, Duration lease, long nowNanos) {
        if (storeMillis == UNKNOWN) {
            return endOfGrant(lease);
        }
        long sinceAnswer = Duration.ofMillis(handOver.leaseEndMillis() - storeMillis).toNanos();
        return Math.min(askedAt + sinceAnswer, nowNanos + lease.toNanos());
    }
}
