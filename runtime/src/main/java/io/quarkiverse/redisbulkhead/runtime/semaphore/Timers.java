package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;

/** Time, as far as this package needs it. Tests hand in a clock that they move. */
public interface Timers {

    /** A task that is planned. */
    @FunctionalInterface
    interface Planned {

        /** Unplans the task. Without effect when it has begun. */
        void cancel();
    }

    /**
     * A clock for intervals.
     *
     * @return nanoseconds since some moment, as {@link System#nanoTime()}
     */
    long nanoTime();

    /**
     * Runs something once, later.
     *
     * @param delay after what time
     * @param task must not block
     * @return to unplan it
     */
    Planned after(Duration delay, Runnable task);
}
