package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.time.Duration;

/**
 * What is asked of a contender.
 *
 * @param name the name of the limit, and the start of all keys
 * @param permits how many may be held
 * @param maxWait how long a caller waits for one
 * @param isKey whether guarded methods have it as a key of a bulkhead, because there are several like it at a time
 */
public record Limit(String name, int permits, Duration maxWait, boolean isKey) {

    /** More permits than there are callers. */
    static final int AMPLE = 1_000_000;

    /** Fewer permits than there are callers. */
    public static final int TIGHT = 10;

    /** For how long a permit lives that is not renewed. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    /** For how long a permit lives that is only there to be held. */
    static final Duration LONG_LEASE = Duration.ofMinutes(15);

    /** A limit that is never reached. */
    public static Limit ample(String name) {
        return new Limit(name, AMPLE, Duration.ZERO, false);
    }

    /** A limit for which callers wait. */
    public static Limit tight(String name, int permits) {
        return new Limit(name, permits, Duration.ofSeconds(30), false);
    }

    /** A limit that is reached: others hold all permits, and callers do not wait. */
    public static Limit full(String name) {
        return new Limit(name, TIGHT, Duration.ZERO, false);
    }

    /** The same as one of several. */
    public Limit asKey() {
        return new Limit(name, permits, maxWait, true);
    }

    boolean isTight() {
        return !maxWait.isZero();
    }

    /** Whether callers are rejected. */
    public boolean isFull() {
        return permits == TIGHT && maxWait.isZero();
    }
}
