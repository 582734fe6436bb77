package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/** How long an admission may wait. Safe for use by many threads. */
final class WaitLimit {

    private static final WaitLimit NO_WAIT = new WaitLimit(null, false, 0);

    private final Timers timers;
    private final boolean any;
    private final long endNanos;

    // Both are guarded by this.
    private Timers.Planned over;
    private boolean stopped;

    private WaitLimit(Timers timers, boolean any, long endNanos) {
        this.timers = timers;
        this.any = any;
        this.endNanos = endNanos;
    }

    /** The wait that begins now. */
    static WaitLimit of(Timers timers, Duration maxWait) {
        return maxWait.isZero() ? NO_WAIT : new WaitLimit(timers, true, timers.nanoTime() + maxWait.toNanos());
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
        // In the unit of the stores, so that what calls of the same moment ask for is alike and goes together.
        return Duration.ofMillis(Math.max(1, left.toMillis()));
    }

    /** Whether there is no time left. */
    boolean isOver() {
        return any && endNanos - timers.nanoTime() <= 0;
    }

    /** Runs something when the time is over. Only the first time counts. */
    synchronized void start(Runnable whenOver) {
        if (over == null && !stopped) {
            over = timers.after(Duration.ofNanos(Math.max(0, endNanos - timers.nanoTime())), whenOver);
        }
    }

    /** The wait has ended before that. */
    synchronized void stop() {
        stopped = true;
        if (over != null) {
            over.cancel();
        }
    }
}
