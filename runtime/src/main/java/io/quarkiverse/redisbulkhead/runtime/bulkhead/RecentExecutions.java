package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;

/**
 * What this instance has seen lately of one bulkhead, over all its keys: how long executions take, and since when calls find it
 * full. Updates that race may overwrite each other: one execution more or less does not change an estimate much.
 * <p>
 * The mean is weighted exponentially: each execution counts for one eighth, as round trips do in RFC 6298.
 */
final class RecentExecutions {

    private static final int SMOOTHING = 8;
    // After a minute without rejections, the bulkhead was not full meanwhile.
    private static final long FULL_ENDS_NANOS = Duration.ofMinutes(1).toNanos();

    private long meanNanos;
    private boolean full;
    private long fullSince;
    private long lastFull;

    void acquired() {
        if (full) {
            full = false;
        }
    }

    void ended(long nanos) {
        meanNanos = Math.max(1, meanNanos == 0 ? nanos : meanNanos + (nanos - meanNanos) / SMOOTHING);
    }

    void foundFull(long now) {
        if (!full || now - lastFull > FULL_ENDS_NANOS) {
            fullSince = now;
        }
        lastFull = now;
        full = true;
    }

    /**
     * Estimates when a call that comes now gets a permit: behind those that wait here, one permit becoming free per mean
     * execution and permit. As long as no call of this instance gets a permit, the estimate grows with that time, because
     * executions of other instances, and those that hang, are not in the mean.
     *
     * @return zero when nothing is known
     */
    Duration untilFree(int waiting, int permits, long now) {
        return Duration.ofNanos(Math.max((long) (meanNanos * (waiting + 1.0) / permits), full ? now - fullSince : 0));
    }
}
