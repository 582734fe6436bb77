package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/** How long an admission may wait. Safe for use by many threads. */
final class WaitLimit {

    private final Timers timers;
    private final boolean any;
    private final long endNanos;

    // Guarded by this.
    private Timers.Planned over;

    WaitLimit(Timers timers, Duration maxWait) {
        this.timers = timers;
        this.any = !maxWait.isZero();
        this.endNanos = timers.nanoTime() + maxWait.toNanos();
    }

    /** Whether there is any waiting. */
    boolean mayWait() {
        return any;
    }

    /** For how long the place among the waiters shall live without a sign of life: never beyond the end of the wait. */
    Duration place() {
        if (!any) {
            return Duration.ZERO;
        }
        Duration left = Duration.ofNanos(endNanos - timers.nanoTime());
        if (left.compareTo(PermitStore.LONGEST_PLACE) > 0) {
            return PermitStore.LONGEST_PLACE;
        }
        return left.toMillis() < 1 ? Duration.ofMillis(1) : left;
    }

    /** Runs something when the time is over. */
    synchronized void start(Runnable whenOver) {
        over = timers.after(Duration.ofNanos(Math.max(0, endNanos - timers.nanoTime())), whenOver);
    }

    /** The wait has ended before that. */
    synchronized void stop() {
        if (over != null) {
            over.cancel();
        }
    }
}
