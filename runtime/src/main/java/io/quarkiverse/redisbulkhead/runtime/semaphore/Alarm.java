package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;

/** One planned task, the earliest of those that were asked for. Not safe for threads. */
final class Alarm {

    private final Timers timers;
    private Timers.Planned planned;
    private long at;

    Alarm(Timers timers) {
        this.timers = timers;
    }

    /** Runs the task at that time, unless an earlier one is planned. */
    void noLaterThan(long atNanos, Runnable task) {
        if (planned != null && at - atNanos <= 0) {
            return;
        }
        cancel();
        at = atNanos;
        planned = timers.after(Duration.ofNanos(Math.max(0, atNanos - timers.nanoTime())), task);
    }

    /** Unplans the task, or forgets that it has run. */
    void cancel() {
        if (planned != null) {
            planned.cancel();
            planned = null;
        }
    }
}
