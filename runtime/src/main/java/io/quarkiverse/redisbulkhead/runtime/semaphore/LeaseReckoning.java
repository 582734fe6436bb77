package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.HandOver;

/**
 * When a lease ends by the clock of this process: never later than by the clock of the store.
 *
 * @param askedAt when the permit was asked for last, by this process's clock
 * @param clockAskedAt when the store was asked the question that it answered with its clock, by this process's clock
 * @param storeMillis the store's clock in that answer, or {@link #UNKNOWN} while there is none
 */
record LeaseReckoning(long askedAt, long clockAskedAt, long storeMillis) {

    static final long UNKNOWN = -1;

    static LeaseReckoning asking(long nowNanos) {
        return new LeaseReckoning(nowNanos, nowNanos, UNKNOWN);
    }

    /** What is known of the store's clock stays true: a hand-over may have come before this question. */
    LeaseReckoning askingAgain(long nowNanos) {
        return new LeaseReckoning(nowNanos, storeMillis == UNKNOWN ? nowNanos : clockAskedAt, storeMillis);
    }

    LeaseReckoning answered(long millis) {
        return new LeaseReckoning(askedAt, askedAt, millis);
    }

    static LeaseReckoning polled(long sentAt, long millis) {
        return new LeaseReckoning(sentAt, sentAt, millis);
    }

    /** The end of a lease that the store granted in its answer; the grant came after the question. */
    long endOfGrant(Duration lease) {
        return askedAt + lease.toNanos();
    }

    /** The end of a lease that the store granted by itself; its clock came after the question. */
    long endOf(HandOver handOver, Duration lease, long nowNanos) {
        if (storeMillis == UNKNOWN) {
            // The hand-over came after the question, and was good for so long at least.
            return endOfGrant(HandOver.firstLease(lease));
        }
        // Whoever may publish can tell any number, so nothing may overflow.
        long sinceAnswer = handOver.leaseEndMillis() <= storeMillis ? 0
                : TimeUnit.MILLISECONDS.toNanos(handOver.leaseEndMillis() - storeMillis);
        return clockAskedAt + Math.min(sinceAnswer, nowNanos - clockAskedAt + lease.toNanos());
    }
}
