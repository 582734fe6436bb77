package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to pause before a step that met contention is tried again: longer and longer, and at random, so that those who
 * met do not meet again. Not safe for threads.
 */
final class ContentionPause {

    private static final long SHORTEST = Duration.ofMillis(5).toNanos();
    private static final long FIRST_LONGEST = Duration.ofMillis(25).toNanos();
    private static final long LONGEST = Duration.ofMillis(200).toNanos();

    private final DoubleSupplier random;
    private long longest = FIRST_LONGEST;

    /**
     * @param random numbers from 0 to 1
     */
    ContentionPause(DoubleSupplier random) {
        this.random = random;
    }

    /** The pause after another contention. */
    Duration next() {
        Duration pause = Duration.ofNanos(SHORTEST + (long) ((longest - SHORTEST) * random.getAsDouble()));
        longest = Math.min(2 * longest, LONGEST);
        return pause;
    }

    /** The contention is over. */
    void reset() {
        longest = FIRST_LONGEST;
    }
}
