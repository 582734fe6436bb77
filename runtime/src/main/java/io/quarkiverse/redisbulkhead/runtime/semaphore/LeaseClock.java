package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.HandOver;

/**
 * Translates the end of a lease to the clock of this process, where it never ends later than in the store.
 *
 * @param requestedAt when the last request for the permit was sent, by this process's clock
 * @param clockRequestedAt when the request was sent that the store answered with its clock, by this process's clock
 * @param storeMillis the store's clock in that reply; {@link #UNKNOWN} before the first reply
 */
record LeaseClock(long requestedAt, long clockRequestedAt, long storeMillis) {

    static final long UNKNOWN = -1;

    static LeaseClock requested(long nowNanos) {
        return new LeaseClock(nowNanos, nowNanos, UNKNOWN);
    }

    /** Keeps what is known of the store's clock: a hand-over may precede this request. */
    LeaseClock requestedAgain(long nowNanos) {
        return new LeaseClock(nowNanos, storeMillis == UNKNOWN ? nowNanos : clockRequestedAt, storeMillis);
    }

    LeaseClock answered(long millis) {
        return new LeaseClock(requestedAt, requestedAt, millis);
    }

    static LeaseClock polled(long sentAt, long millis) {
        return new LeaseClock(sentAt, sentAt, millis);
    }

    /** The end of a lease that the store granted in its reply. The grant came after the request was sent. */
    long endOfGrant(Duration lease) {
        return requestedAt + lease.toNanos();
    }

    /** The end of a lease that the store handed over. Its clock was read after the request was sent. */
    long endOf(HandOver handOver, Duration lease, long nowNanos) {
        if (storeMillis == UNKNOWN) {
            // The hand-over came after the request was sent, and its lease lasts at least this long.
            return endOfGrant(HandOver.firstLease(lease));
        }
        // A forged message can contain any number, so nothing may overflow.
        long sinceAnswer = handOver.leaseEndMillis() <= storeMillis ? 0
                : TimeUnit.MILLISECONDS.toNanos(handOver.leaseEndMillis() - storeMillis);
        return clockRequestedAt + Math.min(sinceAnswer, nowNanos - clockRequestedAt + lease.toNanos());
    }
}
