package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/**
 * Frees what the store holds in the name of this process and the process knows nothing of: a failover can promote a replica
 * that never
 * heard of a release which the old master has confirmed.
 * <p>
 * Exact without a lock: an id is known here from before its first request until its release is answered, and is never used
 * again. So
 * an id that the store tells and that is unknown here is that of a permit which nobody holds and nobody will.
 * <p>
 * Safe for use by many threads.
 */
final class PermitReconciler {

    private static final Logger LOG = Logger.getLogger(PermitReconciler.class);

    // Bulkheads beyond this number are not looked at; their lost permits are free when the leases end.
    private static final int MOST_BULKHEADS = 10_000;
    private static final int MOST_AT_ONCE = 8;
    private static final Duration FIRST_GAP = Duration.ofSeconds(1);
    private static final Duration LONGEST_GAP = Duration.ofSeconds(30);

    private final PermitStore store;
    private final Timers timers;
    // A store of this process loses nothing.
    private final boolean needed;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    // Where permits were given back lately.
    private final Map<BulkheadId, Recent> recent = new ConcurrentHashMap<>();
    // Both are guarded by queue.
    private final Queue<BulkheadId> queue = new ArrayDeque<>();
    private int underWay;

    /** A bulkhead in which a permit may be left. */
    private static final class Recent {
        private volatile long untilNanos;
        // Both are guarded by this.
        private long notBeforeNanos;
        private Duration gap = FIRST_GAP;

        private Recent(long nowNanos) {
            notBeforeNanos = nowNanos;
        }

        private synchronized boolean mayLook(long nowNanos) {
            if (nowNanos - notBeforeNanos < 0) {
                return false;
            }
            notBeforeNanos = nowNanos + gap.toNanos();
            Duration longer = gap.multipliedBy(2);
            gap = longer.compareTo(LONGEST_GAP) < 0 ? longer : LONGEST_GAP;
            return true;
        }

        private synchronized void lookAtOnce(long nowNanos) {
            notBeforeNanos = nowNanos + FIRST_GAP.toNanos();
            gap = FIRST_GAP;
        }
    }

    PermitReconciler(PermitStore store, Timers timers) {
        this.store = store;
        this.timers = timers;
        this.needed = !(store instanceof InProcessPermitStore);
    }

    /** A permit is going to be asked for. */
    void asks(String permitId) {
        if (needed) {
            known.add(permitId);
        }
    }

    /** A permit was neither granted nor is it asked for any more. */
    void forget(String permitId) {
        known.remove(permitId);
    }

    /**
     * The store has confirmed that a permit is given back.
     *
     * @param lease for how long it would stay if that was lost
     */
    void released(BulkheadId bulkhead, String permitId, Duration lease) {
        if (!needed) {
            return;
        }
        known.remove(permitId);
        long now = timers.nanoTime();
        Recent entry = recent.get(bulkhead);
        if (entry == null && makeRoom(now)) {
            entry = recent.computeIfAbsent(bulkhead, id -> new Recent(now));
        }
        if (entry != null) {
            entry.untilNanos = now + lease.toNanos();
        }
    }

    private boolean makeRoom(long now) {
        if (recent.size() >= MOST_BULKHEADS) {
            recent.values().removeIf(entry -> entry.untilNanos - now < 0);
        }
        return recent.size() < MOST_BULKHEADS;
    }

    /** The store may be another one than before. */
    void reconnected() {
        long now = timers.nanoTime();
        recent.forEach((bulkhead, entry) -> {
            if (entry.untilNanos - now > 0) {
                entry.lookAtOnce(now);
                look(bulkhead);
            } else {
                recent.remove(bulkhead, entry);
            }
        });
    }

    /** There was no free permit, perhaps because of one that this process has given back. */
    void full(BulkheadId bulkhead) {
        Recent entry = recent.get(bulkhead);
        long now = timers.nanoTime();
        if (entry != null && entry.untilNanos - now > 0 && entry.mayLook(now)) {
            look(bulkhead);
        }
    }

    private void look(BulkheadId bulkhead) {
        synchronized (queue) {
            if (underWay >= MOST_AT_ONCE) {
                queue.add(bulkhead);
                return;
            }
            underWay++;
        }
        ask(bulkhead);
    }

    private void ask(BulkheadId bulkhead) {
        store.ownPermits(bulkhead).whenComplete((ids, failure) -> {
            if (failure == null) {
                free(bulkhead, ids.stream().filter(id -> !known.contains(id)).toList());
            } else {
                LOG.debugf("Bulkhead '%s' was not looked through for permits of this process: %s", bulkhead,
                        failure.getMessage());
            }
            BulkheadId next;
            synchronized (queue) {
                next = queue.poll();
                underWay -= next == null ? 1 : 0;
            }
            if (next != null) {
                ask(next);
            }
        });
    }

    private void free(BulkheadId bulkhead, List<String> lost) {
        if (!lost.isEmpty()) {
            LOG.infof(
                    "Redis still had %d permits of bulkhead '%s' that this process has given back; they are free now. A failover "
                            + "may have lost the releases",
                    lost.size(), bulkhead);
            lost.forEach(id -> store.release(bulkhead, id).whenComplete((held, failure) -> {
                if (failure != null) {
                    LOG.debugf("Permit %s of bulkhead '%s' stays until its lease ends: %s", id, bulkhead, failure.getMessage());
                }
            }));
        }
    }
}
