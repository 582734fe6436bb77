package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before the next try to get a lock that others want, too. The pauses grow with each try in vain, and are
 * spread at random, so that those who wait do not come all at once. Not safe for use by several threads at once.
 */
final class Backoff {

    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

    /** For how long after a try in vain the lock counts as wanted by others. */
    private static final long WANTED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final DoubleSupplier random;
    private long pause = SHORTEST_NANOS;
    private long lastInVain = System.nanoTime() - WANTED_NANOS;

    /**
     * @param random numbers from 0 to 1
     */
    Backoff(DoubleSupplier random) {
        this.random = random;
    }

    /** The pause after a try in vain. */
    Duration inVain() {
        lastInVain = System.nanoTime();
        Duration spread = spread(pause);
        pause = Math.min(LONGEST_NANOS, pause * 2);
        return spread;
    }

    /**
     * The pause after a try that succeeded, for the sake of others: whoever has just given a lock back would nearly always get
     * it again.
     */
    Duration succeeded() {
        pause = SHORTEST_NANOS;
        return System.nanoTime() - lastInVain < WANTED_NANOS ? spread(SHORTEST_NANOS) : Duration.ZERO;
    }

    private Duration spread(long nanos) {
        return Duration.ofNanos((long) (nanos * (0.5 + random.getAsDouble())));
    }
}
