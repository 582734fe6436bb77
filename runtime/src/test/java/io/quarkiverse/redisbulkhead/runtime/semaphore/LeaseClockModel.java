package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.HandOver;

/**
 * The {@link LeaseClock} of a client, as a value to which "now" is always 0, so that it does not change when time
 * passes for all alike. In milliseconds.
 *
 * @param real the reckoning
 */
public record LeaseClockModel(LeaseClock real) {

    /** The client asks now. */
    public static LeaseClockModel requested() {
        return new LeaseClockModel(LeaseClock.requested(0));
    }

    /** The client asks now for the same permit again. */
    public LeaseClockModel requestedAgain() {
        return new LeaseClockModel(real.requestedAgain(0));
    }

    /** The store has answered with its clock. */
    public LeaseClockModel answered(long storeMillis) {
        return new LeaseClockModel(real.answered(storeMillis));
    }

    /** The store has answered a question that was sent so long ago. */
    public static LeaseClockModel polled(long askedAgo, long storeMillis) {
        return new LeaseClockModel(LeaseClock.polled(-nanos(askedAgo), storeMillis));
    }

    /** For how long from now a lease counts that was granted in the answer. */
    public long leaseLeft(long lease) {
        return millis(real.endOfGrant(Duration.ofMillis(lease)));
    }

    /** For how long from now a lease counts that was handed over. */
    public long leaseLeft(HandOver handOver, long lease) {
        return millis(real.endOf(handOver, Duration.ofMillis(lease), 0));
    }

    /** How long ago the client asked. */
    public long askedAgo() {
        return millis(-real.requestedAt());
    }

    /**
     * Time passes: so much for the client, and so much by the clock of the store. What is longer ago than that counts as that
     * long ago.
     */
    public LeaseClockModel later(long here, long there, long longestAgo) {
        long asked = Math.min(askedAgo() + here, longestAgo);
        if (real.storeMillis() == LeaseClock.UNKNOWN) {
            return new LeaseClockModel(LeaseClock.requested(-nanos(asked)));
        }
        long clockAskedAgo = -millis(real.clockRequestedAt()) + here;
        // For both clocks alike, so that their difference stays.
        long forgotten = Math.max(0, clockAskedAgo - longestAgo);
        return new LeaseClockModel(new LeaseClock(-nanos(asked), -nanos(clockAskedAgo - forgotten),
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
