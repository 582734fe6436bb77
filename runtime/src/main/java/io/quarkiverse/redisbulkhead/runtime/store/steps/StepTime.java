package io.quarkiverse.redisbulkhead.runtime.store.steps;

import java.time.Duration;

/**
 * The instant of a step, by the clock of the store.
 *
 * @param micros microseconds since the epoch
 */
public record StepTime(long micros) {

    /** Longer than anybody means, and short enough to be added to any instant. */
    private static final Duration LONGEST = Duration.ofDays(365_000);

    private static final int NANOS_PER_MILLI = 1_000_000;

    /** The instant in whole milliseconds since the epoch: what ends then, or before, has ended. */
    public long millis() {
        return millis(micros);
    }

    /**
     * As the other one, of any instant.
     *
     * @param micros microseconds since the epoch
     */
    public static long millis(long micros) {
        return Math.floorDiv(micros, 1_000L);
    }

    /** The first whole millisecond that is not in the past: what ends so long after it has had its full time. */
    public long nextMillis() {
        return -Math.floorDiv(-micros, 1_000L);
    }

    /**
     * When something ends that starts now.
     *
     * @param duration how long it lasts; parts of a millisecond count as one
     * @return in milliseconds since the epoch
     */
    public long endOf(Duration duration) {
        if (duration.isNegative()) {
            return millis();
        }
        Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
        return nextMillis() + bounded.toSeconds() * 1_000
                + (bounded.getNano() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    }
}
