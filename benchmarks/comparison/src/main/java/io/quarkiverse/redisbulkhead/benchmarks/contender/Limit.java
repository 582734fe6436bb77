package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.time.Duration;

/**
 * What is asked of a contender.
 *
 * @param name the name of the limit, and the start of all keys
 * @param permits how many may be held
 * @param maxWait how long a caller waits for one
 */
public record Limit(String name, int permits, Duration maxWait) {

    /** For how long a permit lives that is not renewed. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    /** For how long a permit lives that is only there to be held. */
    static final Duration LONG_LEASE = Duration.ofMinutes(15);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A limit that is never reached. */
    public static Limit ample(String name) {
        return new Limit(name, 1_000_000, Duration.ZERO);
    }

    /** A limit for which callers wait. */
    public static Limit tight(String name, int permits) {
        return new Limit(name, permits, PATIENCE);
    }
}
