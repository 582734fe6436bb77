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

    /** One task, scheduled for the earliest of the requested times. Not thread-safe. */
    final class Alarm {

        private final Timers timers;
        private Planned planned;
        private long at;

        public Alarm(Timers timers) {
            this.timers = timers;
        }

        /** Schedules the task for that time, unless an earlier one is scheduled. */
        public void noLaterThan(long atNanos, Runnable task) {
            if (planned != null && at - atNanos <= 0) {
                return;
            }
            cancel();
            at = atNanos;
            planned = timers.after(Duration.ofNanos(Math.max(0, atNanos - timers.nanoTime())), task);
        }

        /** Cancels the task. To be called, too, when it has run. */
        public void cancel() {
            if (planned != null) {
                planned.cancel();
                planned = null;
            }
        }
    }
}
