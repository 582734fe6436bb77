package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/**
 * Gives permits back whose fate is unknown because the answer to an acquire or a release was lost. Works in the
 * background, tries again with growing gaps while the store is away, and stops when the lease has ended anyway. Safe
 * for use by many threads.
 */
public final class PermitReclaimer {

    private static final Logger LOG = Logger.getLogger(PermitReclaimer.class);

    private static final Duration FIRST_GAP = Duration.ofMillis(100);
    private static final Duration LONGEST_GAP = Duration.ofSeconds(1);

    // For how long a request that nobody waits for may still be on its way to the store: as long as the operating system sends it again, or a
    // server stands still.
    private static final Duration SHORTEST_DELAY = Duration.ofMinutes(1);
    private static final Duration LONGEST_DELAY = Duration.ofMinutes(15);

    private final PermitStore store;
    private final Timers timers;

    // Both are guarded by this. A bulkhead is in the first map exactly while a round for it is under way or planned.
    private final Map<BulkheadId, Set<Unknown>> unknown = new HashMap<>();
    private final Map<BulkheadId, Timers.Planned> planned = new HashMap<>();

    private volatile boolean closed;

    private record Unknown(String permitId, Duration lease, Duration minHold, long giveUpNanos) {
    }

    /**
     * Creates the reclaimer.
     *
     * @param store where the permits may be
     * @param timers for the gaps between tries
     */
    public PermitReclaimer(PermitStore store, Timers timers) {
        this.store = store;
        this.timers = timers;
    }

    /**
     * Takes a permit over.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit, which may or may not be held
     * @param lease after what time it is free anyway
     * @param minHold how long it stays taken at least, from its start; zero where nothing ran with it
     */
    public void reclaim(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold) {
        Unknown entry = new Unknown(permitId, lease, minHold, giveUpAt(lease));
        boolean first;
        synchronized (this) {
            Set<Unknown> waiting = unknown.get(bulkhead);
            first = waiting == null;
            if (first) {
                waiting = new LinkedHashSet<>();
                unknown.put(bulkhead, waiting);
            }
            waiting.add(entry);
        }
        if (first) {
            round(bulkhead, FIRST_GAP);
        }
    }

    // When the permit is free anyway and its request can arrive no more.
    private long giveUpAt(Duration lease) {
        Duration delay = longestDelay(lease);
        return timers.nanoTime() + (delay.compareTo(lease) > 0 ? delay : lease).toNanos();
    }

    /** How many permits are still to be given back. */
    synchronized int pending() {
        return unknown.values().stream().mapToInt(Set::size).sum();
    }

    /** For how long a request must be refused after it was given up. */
    static Duration longestDelay(Duration lease) {
        if (lease.compareTo(SHORTEST_DELAY) < 0) {
            return SHORTEST_DELAY;
        }
        return lease.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : lease;
    }

    /** Stops trying. What is not given back yet is free when its lease ends. */
    public void close() {
        closed = true;
    }

    private void round(BulkheadId bulkhead, Duration gap) {
        List<Unknown> batch = nextBatch(bulkhead);
        if (batch.isEmpty() || closed) {
            return;
        }
        Duration lease = batch.stream().map(Unknown::lease).max(Duration::compareTo).orElseThrow();
        release(bulkhead, batch).thenCompose(
                released -> store.cancel(bulkhead, batch.stream().map(Unknown::permitId).toList(), longestDelay(lease)))
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        remove(bulkhead, batch);
                        round(bulkhead, FIRST_GAP);
                    } else {
                        LOG.debugf("%d permits of bulkhead '%s' are not given back yet: %s", batch.size(), bulkhead,
                                failure.getMessage());
                        plan(bulkhead, gap);
                    }
                });
    }

    // Before the cancellation, which frees at once.
    private CompletableFuture<Void> release(BulkheadId bulkhead, List<Unknown> batch) {
        return CompletableFuture.allOf(batch.stream().filter(entry -> !entry.minHold().isZero())
                .map(entry -> store.release(bulkhead, entry.permitId(), entry.minHold()).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    private synchronized void plan(BulkheadId bulkhead, Duration gap) {
        Duration next = gap.multipliedBy(2);
        planned.put(bulkhead, timers.after(gap, () -> {
            boolean due;
            synchronized (this) {
                due = planned.remove(bulkhead) != null;
            }
            if (due) {
                round(bulkhead, next.compareTo(LONGEST_GAP) < 0 ? next : LONGEST_GAP);
            }
        }));
    }

    /** The store is back: tries again now, ahead of requests that are made later. */
    void reconnected() {
        List<BulkheadId> bulkheads;
        synchronized (this) {
            bulkheads = List.copyOf(planned.keySet());
            planned.values().forEach(Timers.Planned::cancel);
            planned.clear();
        }
        bulkheads.forEach(bulkhead -> round(bulkhead, FIRST_GAP));
    }

    // The entries stay in the queue until they are done, so that pending() counts them.
    private synchronized List<Unknown> nextBatch(BulkheadId bulkhead) {
        Set<Unknown> waiting = unknown.get(bulkhead);
        long now = timers.nanoTime();
        waiting.removeIf(entry -> now - entry.giveUpNanos() >= 0);
        if (waiting.isEmpty()) {
            unknown.remove(bulkhead);
        }
        return waiting.stream().limit(PermitStore.MAX_CANCELLED_AT_ONCE).toList();
    }

    private synchronized void remove(BulkheadId bulkhead, List<Unknown> done) {
        unknown.get(bulkhead).removeAll(done);
    }
}
