package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Random pauses between attempts. Their upper bound doubles with each attempt, and no pause is shorter than half of it, so that
 * callers that collided do not collide again. Not thread-safe.
 */
public final class Backoff {

    private final long firstNanos;
    private final long longestNanos;
    private final DoubleSupplier random;
    private long boundNanos;

    /**
     * Starts with short pauses.
     *
     * @param first the longest pause after the first attempt
     * @param longest no pause is longer
     */
    public Backoff(Duration first, Duration longest) {
        this(first, longest, () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * Starts with short pauses, with random numbers of the caller.
     *
     * @param first the longest pause after the first attempt
     * @param longest no pause is longer
     * @param random numbers from 0 to 1
     */
    public Backoff(Duration first, Duration longest, DoubleSupplier random) {
        this.firstNanos = first.toNanos();
        this.longestNanos = longest.toNanos();
        this.random = random;
        this.boundNanos = firstNanos;
    }

    /** The pause after a failed attempt. */
    public Duration next() {
        Duration pause = Duration.ofNanos((long) (boundNanos * (1 + random.getAsDouble()) / 2));
        boundNanos = Math.min(longestNanos, 2 * boundNanos);
        return pause;
    }

    /** An attempt succeeded: the next pause is short again. */
    public void reset() {
        boundNanos = firstNanos;
    }
}
