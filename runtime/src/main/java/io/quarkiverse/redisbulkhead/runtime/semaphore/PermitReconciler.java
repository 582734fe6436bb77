package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * Issues the ids of permits, and releases permits that Redis keeps for this process but that the process does not know. A
 * failover can promote a replica that never received a release.
 * <p>
 * No lock is needed: an id is known here from before its first request until it is released, and ids are never reused. So
 * an unknown id belongs to a permit that is not held and will not be.
 * <p>
 * No other process makes the same ids: they begin with 96 random bits.
 * <p>
 * Thread-safe.
 */
final class PermitReconciler {

    private static final Logger LOG = Logger.getLogger(PermitReconciler.class);

    // Limits memory. In other bulkheads, lost permits are free when their leases end.
    private static final int MOST_BULKHEADS = 10_000;
    private static final int MOST_AT_ONCE = 8;
    private static final Duration FORGET_EVERY = Duration.ofSeconds(5);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final PermitStore store;
    private final Timers timers;
    private final String prefix;
    private final AtomicLong issued = new AtomicLong();
    private final IntFunction<String> ids = this::nextId;
    // A store of this process loses nothing.
    private final boolean needed;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    // Bulkheads where permits were released recently.
    private final Map<BulkheadId, Recent> recent = new ConcurrentHashMap<>();
    private final AtomicBoolean forgetting = new AtomicBoolean();
    private volatile Timers.Planned timer;
    private volatile boolean stopped;
    // The queue and the number are guarded by the queue.
    private final Set<BulkheadId> queue = new LinkedHashSet<>();
    private int running;

    /** A bulkhead in which Redis may keep a permit that was released. */
    private static final class Recent {
        private volatile long untilNanos;
        private volatile Duration minHold = Duration.ZERO;
        // These two fields are guarded by the lock of this object.
        private long notBeforeNanos;
        private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE, () -> 1);

        private Recent(long nowNanos) {
            notBeforeNanos = nowNanos;
        }

        private synchronized boolean tryStart(long nowNanos) {
            if (nowNanos - notBeforeNanos < 0) {
                return false;
            }
            notBeforeNanos = nowNanos + backoff.next().toNanos();
            return true;
        }

        private synchronized void startAtOnce(long nowNanos) {
            notBeforeNanos = nowNanos + FIRST_PAUSE.toNanos();
            backoff.reset();
        }
    }

    PermitReconciler(PermitStore store, Timers timers) {
        this.store = store;
        this.timers = timers;
        SecureRandom random = new SecureRandom();
        this.prefix = Long.toUnsignedString(random.nextLong(), 36) + Integer.toUnsignedString(random.nextInt(), 36) + "-";
        this.needed = !(store instanceof InProcessPermitStore);
    }

    /** The id of a permit that is going to be requested: letters, digits and hyphens, behind the weight. */
    String newId(int weight) {
        String id = nextId(weight);
        if (needed) {
            known.add(id);
        }
        return id;
    }

    private String nextId(int weight) {
        return Weights.id(weight, prefix + issued.getAndIncrement());
    }

    /** Issues ids of permits of a store of this process, by their weights. */
    IntFunction<String> ids() {
        return ids;
    }

    /**
     * The id of a permit that this process attaches: for the same fingerprint the same, so that a retry is the same request.
     *
     * @param weight of the permit
     * @param fingerprint letters and digits, not digits only
     */
    String attachedId(int weight, String fingerprint) {
        return Weights.id(weight, prefix + "a-" + fingerprint);
    }

    /** A permit is going to be attached. */
    void register(String permitId) {
        if (needed) {
            known.add(permitId);
        }
    }

    /** A permit was not granted, and is not requested any more, or belongs to another process. */
    void forget(String permitId) {
        known.remove(permitId);
    }

    /**
     * A permit was released, or its release goes on in the background.
     *
     * @param lease for how long it stays if the release is lost
     * @param minHold how long it stays taken at least, from its start
     */
    void released(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold) {
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
            entry.minHold = minHold;
            forgetLater();
        }
    }

    // So that memory does not grow with the keys that were used.
    private void forgetLater() {
        if (!forgetting.get() && forgetting.compareAndSet(false, true)) {
            timer = timers.after(FORGET_EVERY, () -> {
                long now = timers.nanoTime();
                recent.values().removeIf(entry -> entry.untilNanos - now < 0);
                forgetting.set(false);
                if (!recent.isEmpty() && !stopped) {
                    forgetLater();
                }
            });
        }
    }

    /** The application stops: nothing is planned any more. */
    void stop() {
        stopped = true;
        Timers.Planned planned = timer;
        if (planned != null) {
            planned.cancel();
        }
    }

    private boolean makeRoom(long now) {
        if (recent.size() >= MOST_BULKHEADS) {
            recent.values().removeIf(entry -> entry.untilNanos - now < 0);
        }
        return recent.size() < MOST_BULKHEADS;
    }

    /** Another server may have the data now. */
    void reconnected() {
        long now = timers.nanoTime();
        recent.forEach((bulkhead, entry) -> {
            if (entry.untilNanos - now > 0) {
                entry.startAtOnce(now);
                enqueue(bulkhead);
            } else {
                recent.remove(bulkhead, entry);
            }
        });
    }

    /** A bulkhead is full, perhaps because of a permit that this process has released. */
    void reconcileIfDue(BulkheadId bulkhead) {
        Recent entry = recent.get(bulkhead);
        long now = timers.nanoTime();
        if (entry != null && entry.untilNanos - now > 0 && entry.tryStart(now)) {
            enqueue(bulkhead);
        }
    }

    private void enqueue(BulkheadId bulkhead) {
        synchronized (queue) {
            if (running >= MOST_AT_ONCE) {
                queue.add(bulkhead);
                return;
            }
            running++;
        }
        reconcile(bulkhead);
    }

    private void reconcile(BulkheadId bulkhead) {
        store.ownPermits(bulkhead).whenComplete((ids, failure) -> {
            if (failure == null) {
                free(bulkhead, ids.stream().filter(id -> !known.contains(id)).toList());
            } else {
                LOG.debugf("Cannot read the permits of this process in bulkhead '%s': %s", bulkhead,
                        failure.getMessage());
            }
            BulkheadId next;
            synchronized (queue) {
                next = queue.isEmpty() ? null : queue.iterator().next();
                queue.remove(next);
                running -= next == null ? 1 : 0;
            }
            if (next != null) {
                reconcile(next);
            }
        });
    }

    private void free(BulkheadId bulkhead, List<String> lost) {
        if (!lost.isEmpty()) {
            LOG.infof(
                    "Redis still had %d permits of bulkhead '%s' that this process had released. They are released "
                            + "again. A failover may have lost the releases",
                    lost.size(), bulkhead);
            Recent entry = recent.get(bulkhead);
            Duration minHold = entry == null ? Duration.ZERO : entry.minHold;
            lost.forEach(id -> store.release(bulkhead, id, minHold).whenComplete((held, failure) -> {
                if (failure != null) {
                    LOG.debugf("Permit %s of bulkhead '%s' stays taken until its lease ends: %s", id, bulkhead,
                            failure.getMessage());
                }
            }));
        }
    }
}
