package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * What somebody who asks the store again and again has met of contention, and how long to pause before the next try: longer
 * and longer, and at random, so that those who met do not meet again. Not safe for threads.
 */
final class Contention {

    private static final long SHORTEST = Duration.ofMillis(5).toNanos();
    private static final long FIRST_LONGEST = Duration.ofMillis(25).toNanos();
    private static final long LONGEST = Duration.ofMillis(200).toNanos();

    private final DoubleSupplier random;
    private long longest = FIRST_LONGEST;
    private Optional<Throwable> last = Optional.empty();

    /**
     * @param random numbers from 0 to 1
     */
    Contention(DoubleSupplier random) {
        this.random = random;
    }

    /**
     * The store was contended once more.
     *
     * @param failure what it said
     * @return how long to pause
     */
    Duration met(Throwable failure) {
        last = Optional.of(failure);
        Duration pause = Duration.ofNanos(SHORTEST + (long) ((longest - SHORTEST) * random.getAsDouble()));
        longest = Math.min(2 * longest, LONGEST);
        return pause;
    }

    /** The store has answered. */
    void over() {
        last = Optional.empty();
        longest = FIRST_LONGEST;
    }

    /** What the store said last, if it has not answered since. */
    Optional<Throwable> last() {
        return last;
    }
}
