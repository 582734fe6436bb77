package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Pauses between the tries of a request that the store could not serve, and why. They grow, and are random, so that
 * callers that collided do not collide again. Not safe for threads.
 */
final class Backoff {

    private static final long SHORTEST = Duration.ofMillis(5).toNanos();
    private static final long FIRST_LONGEST = Duration.ofMillis(25).toNanos();
    private static final long LONGEST = Duration.ofMillis(200).toNanos();

    private final DoubleSupplier random;

    private long longest = FIRST_LONGEST;
    private Optional<Throwable> lastFailure = Optional.empty();

    /**
     * @param random numbers from 0 to 1
     */
    Backoff(DoubleSupplier random) {
        this.random = random;
    }

    /**
     * A try has failed.
     *
     * @param failure what the store said
     * @return how long to pause
     */
    Duration failed(Throwable failure) {
        lastFailure = Optional.of(failure);
        Duration pause = Duration.ofNanos(SHORTEST + (long) ((longest - SHORTEST) * random.getAsDouble()));
        longest = Math.min(2 * longest, LONGEST);
        return pause;
    }

    /** The store has answered. */
    void succeeded() {
        lastFailure = Optional.empty();
        longest = FIRST_LONGEST;
    }

    /** What the store said last, if it has not answered since. */
    Optional<Throwable> lastFailure() {
        return lastFailure;
    }
}
