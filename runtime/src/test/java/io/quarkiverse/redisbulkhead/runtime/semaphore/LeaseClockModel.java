package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.HandOver;

/**
 * The {@link LeaseClock} of a client as a value relative to now, in milliseconds, so that it stays the same when all clocks
 * advance alike.
 *
 * @param real the clock
 */
public record LeaseClockModel(LeaseClock real) {

    /** The client sends a request now. */
    public static LeaseClockModel requested() {
        return new LeaseClockModel(LeaseClock.requested(0));
    }

    /** The client repeats its request now. */
    public LeaseClockModel requestedAgain() {
        return new LeaseClockModel(real.requestedAgain(0));
    }

    /** The store has replied with its time. */
    public LeaseClockModel answered(long storeMillis) {
        return new LeaseClockModel(real.answered(storeMillis));
    }

    /** The store has replied to a poll sent that long ago. */
    public static LeaseClockModel polled(long askedAgo, long storeMillis) {
        return new LeaseClockModel(LeaseClock.polled(-nanos(askedAgo), storeMillis));
    }

    /** Time left of a lease granted in the reply. */
    public long leaseLeft(long lease) {
        return millis(real.endOfGrant(Duration.ofMillis(lease)));
    }

    /** Time left of a lease that was handed over. */
    public long leaseLeft(HandOver handOver, long lease) {
        return millis(real.endOf(handOver, Duration.ofMillis(lease), 0));
    }

    /** Time since the request. */
    public long askedAgo() {
        return millis(-real.requestedAt());
    }

    /** Advances the clock of the client and that of the store. Ages are capped, to keep the number of states finite. */
    public LeaseClockModel later(long here, long there, long longestAgo) {
        long age = Math.min(askedAgo() + here, longestAgo);
        if (real.storeMillis() == LeaseClock.UNKNOWN) {
            return new LeaseClockModel(LeaseClock.requested(-nanos(age)));
        }
        long clockAskedAgo = -millis(real.clockRequestedAt()) + here;
        // Shift both clocks, to keep their difference.
        long forgotten = Math.max(0, clockAskedAgo - longestAgo);
        return new LeaseClockModel(new LeaseClock(-nanos(age), -nanos(clockAskedAgo - forgotten),
                real.storeMillis() - there + forgotten));
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    @Override
    public String toString() {
        return millis(real.requestedAt()) + "/" + millis(real.clockRequestedAt()) + "/"
                + (real.storeMillis() == LeaseClock.UNKNOWN ? "?" : real.storeMillis() % 1_000_000);
    }
}
