package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;

/** Time, as far as this package needs it. Tests use a manual clock. */
public interface Timers {

    /** A scheduled task. */
    @FunctionalInterface
    interface Planned {

        /** Cancels the task. No effect once it has started. */
        void cancel();
    }

    /**
     * A clock for intervals.
     *
     * @return nanoseconds from an arbitrary origin, as {@link System#nanoTime()}
     */
    long nanoTime();

    /**
     * Runs a task once, later.
     *
     * @param delay from now
     * @param task must not block
     * @return cancels it
     */
    Planned after(Duration delay, Runnable task);
}
