package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Estimates when a permit becomes free, from the recent executions and the waiting calls of this process. Redis is not asked.
 * Thread-safe.
 * <p>
 * The mean is weighted exponentially: each execution counts for one eighth, as round trips do in RFC 6298. Executions of all
 * keys of a bulkhead have one mean, and so have all bulkheads beyond the first {@value #MOST_NAMES} names.
 */
@Singleton
public class RecentExecutions implements SemaphoreListener {

    /** How many bulkheads have a mean of their own. */
    static final int MOST_NAMES = 1_000;

    private static final int SMOOTHING = 8;
    private static final long FULL_ENDS = Duration.ofMinutes(1).toNanos();
    private static final String OTHERS = "";

    /**
     * What is known of one bulkhead. Updates that race may overwrite each other: one execution more or less does not change an
     * estimate much, and calls need no lock.
     */
    private final class Recent {

        // Of calls of the bulkhead, or of its first key.
        private final Call call;
        private volatile long meanNanos;
        private volatile boolean full;
        private volatile long fullSince;
        private volatile long lastFull;

        private Recent(BulkheadId bulkhead) {
            this.call = new Call(bulkhead, this);
        }

        private void ended(long nanos) {
            long mean = meanNanos;
            meanNanos = Math.max(1, mean == 0 ? nanos : mean + (nanos - mean) / SMOOTHING);
        }

        private void rejected(long now) {
            if (!full || now - lastFull > FULL_ENDS) {
                fullSince = now;
            }
            lastFull = now;
            full = true;
        }

        private void acquired() {
            if (full) {
                full = false;
            }
        }

        private long fullFor(long now) {
            return full ? now - fullSince : 0;
        }
    }

    private final LongSupplier nanoTime;
    private final Map<String, Recent> byName = new ConcurrentHashMap<>();
    // Without bulkheads and keys where no call waits.
    private final Map<BulkheadId, Integer> waiting = new ConcurrentHashMap<>();

    /** Knows of no execution yet. */
    @Inject
    public RecentExecutions() {
        this(System::nanoTime);
    }

    RecentExecutions(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    private Recent recent(BulkheadId bulkhead) {
        Recent known = byName.get(bulkhead.name());
        return known != null ? known
                : byName.computeIfAbsent(byName.size() < MOST_NAMES ? bulkhead.name() : OTHERS,
                        missing -> new Recent(bulkhead));
    }

    /**
     * Estimates when a call that comes now gets a permit: behind the waiting calls of this process, one permit becoming free
     * per mean execution and permit. As long as no call of this process gets a permit, the estimate grows with that time,
     * because executions of other processes, or those that hang, are not in the mean.
     *
     * @param bulkhead the bulkhead, or one of its keys
     * @param permits the limit that is in force, at least 1
     * @return zero when nothing is known
     */
    public Duration untilFree(BulkheadId bulkhead, int permits) {
        Recent recent = byName.getOrDefault(bulkhead.name(), byName.get(OTHERS));
        if (recent == null) {
            return Duration.ZERO;
        }
        double turns = (waiting.getOrDefault(bulkhead, 0) + 1.0) / permits;
        return Duration.ofNanos(Math.max((long) (recent.meanNanos * turns), recent.fullFor(nanoTime.getAsLong())));
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method) {
        Recent recent = recent(bulkhead);
        return recent.call.bulkhead.equals(bulkhead) ? recent.call : new Call(bulkhead, recent);
    }

    @Override
    public void lost(PermitLost loss) {
        // The execution goes on, and counts when it has ended.
    }

    /** Needs no state of a single call. */
    private final class Call extends CallListener {

        private final BulkheadId bulkhead;
        private final Recent recent;

        private Call(BulkheadId bulkhead, Recent recent) {
            this.bulkhead = bulkhead;
            this.recent = recent;
        }

        @Override
        protected void onWaiting() {
            waiting.merge(bulkhead, 1, Integer::sum);
        }

        @Override
        protected void onWaited() {
            waiting.computeIfPresent(bulkhead, (id, calls) -> calls == 1 ? null : calls - 1);
        }

        @Override
        protected void onAcquired(CallResult result, long fencingToken) {
            recent.acquired();
        }

        @Override
        protected void onRejected(CallResult result) {
            if (result.isFull()) {
                recent.rejected(nanoTime.getAsLong());
            }
        }

        @Override
        protected void onReleased(long heldNanos) {
            recent.ended(heldNanos);
        }
    }
}
