package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * Renews the leases of this process. All leases of one bulkhead are renewed in one batch when the first of them has lived for a
 * third of its length. A failed renewal is retried until the lease has ended. Only then, or when the store says so, the
 * permit is lost. Thread-safe.
 */
final class LeaseRenewer {

    private static final int TRIES_PER_LEASE = 12;

    // For short remainders: of the first lease after a hand-over, or near the end.
    private static final int TRIES_WHILE_IT_LASTS = 4;
    private static final Duration SHORTEST_GAP = Duration.ofMillis(10);

    // This many bulkheads keep their timer when their last lease goes. Beyond that, each call schedules and cancels one.
    private static final int MOST_IDLE = 100;

    /**
     * A lease to renew. It ends here a little earlier than in the store: it counts from before the request was sent, and a
     * margin is subtracted.
     */
    abstract static class Lease {

        // The store counts in milliseconds, so a lease that ends less than one before max-hold ends with it.
        private static final long ONE_MILLI = Duration.ofMillis(1).toNanos();

        private static final int RENEWALS_PER_LEASE = 3;

        // Position in the renewer's list. Part of the lease, so that a short execution allocates nothing for it. Guarded by that list.
        private Lease before;
        private Lease after;
        private boolean kept;
        private boolean renewing;
        // Until it is kept, when the first lease ends in the store.
        private long renewAt;

        private final SemaphoreDefinition bulkhead;
        private final long holdEndNanos;
        private volatile long endNanos;

        /**
         * @param sinceNanos when the permit started
         * @param endInStoreNanos when the first lease ends in the store, or earlier
         * @param marginNanos how much earlier that lease ends here
         */
        Lease(SemaphoreDefinition bulkhead, long sinceNanos, long endInStoreNanos, long marginNanos) {
            this.bulkhead = bulkhead;
            this.holdEndNanos = sinceNanos + bulkhead.terms().holdNanos();
            this.renewAt = endInStoreNanos;
            this.endNanos = endInStoreNanos - marginNanos;
        }

        /** The permit is lost, unless it was released or detached. */
        abstract void lose(Reason reason);

        /** The application stops: reports the permit as lost and releases it, although its execution still runs. */
        abstract void releaseRunning();

        /** The id of the permit. */
        public abstract String id();

        /** When the permit started. */
        final long sinceNanos() {
            return holdEndNanos - bulkhead.terms().holdNanos();
        }

        final SemaphoreDefinition definition() {
            return bulkhead;
        }

        final BulkheadId bulkheadId() {
            return bulkhead.id();
        }

        /** When the lease ends here. */
        final long endNanos() {
            return endNanos;
        }

        /** Plans the renewal of the first lease, which is shorter than the others after a hand-over. */
        private void planFirstRenewal(long nowNanos) {
            renewAt = nowNanos + Math.min(renewalInterval(), (renewAt - nowNanos) / RENEWALS_PER_LEASE);
        }

        final long renewalInterval() {
            return bulkhead.terms().leaseNanos() / RENEWALS_PER_LEASE;
        }

        /** How long a lease that starts at that time should be in the store: here it must not exceed {@code max-hold}. */
        final Duration next(long fromNanos) {
            SemaphoreDefinition.LeaseTerms terms = bulkhead.terms();
            if (!terms.holdIsBounded()) {
                return terms.lease();
            }
            Duration left = Duration.ofNanos(holdEndNanos - fromNanos).plus(terms.margin());
            return left.compareTo(terms.lease()) < 0 ? left : terms.lease();
        }

        /** The store renewed the lease at least until then. */
        final void renewedUntil(long endInStoreNanos) {
            endNanos = Math.max(endNanos, endInStoreNanos - bulkhead.terms().marginNanos());
        }

        /** Why the permit is lost when the lease has ended. */
        final Reason reasonOfEnd() {
            return bulkhead.terms().holdIsBounded() && holdEndNanos - endNanos < ONE_MILLI ? Reason.MAX_HOLD
                    : Reason.LEASE_ENDED;
        }
    }

    private final PermitStore store;
    private final Timers timers;
    private final SemaphoreListener listener;
    private final Map<BulkheadId, Leases> byBulkhead = new ConcurrentHashMap<>();
    private volatile boolean stopping;

    LeaseRenewer(PermitStore store, Timers timers, SemaphoreListener listener) {
        this.store = store;
        this.timers = timers;
        this.listener = listener;
    }

    /** Renews a lease from now on. */
    void keep(Lease lease) {
        Leases here = byBulkhead.get(lease.bulkheadId());
        while (here == null || !here.add(lease)) {
            if (here != null) {
                byBulkhead.remove(here.bulkhead, here);
            }
            here = byBulkhead.computeIfAbsent(lease.bulkheadId(), Leases::new);
        }
    }

    /** Stops renewing a lease. */
    void forget(Lease lease) {
        Leases here = byBulkhead.get(lease.bulkheadId());
        if (here != null && here.removeAndIsEmpty(lease) && (stopping || byBulkhead.size() > MOST_IDLE)) {
            here.closeIfEmpty();
        }
    }

    /** The application stops: no timer outlives the last lease of its bulkhead. */
    void stop() {
        stopping = true;
        byBulkhead.values().forEach(Leases::closeIfEmpty);
    }

    /** Whether the permit with that id is held here. */
    boolean keeps(BulkheadId bulkhead, String permitId) {
        Leases here = byBulkhead.get(bulkhead);
        return here != null && !here.select(lease -> lease.id().equals(permitId)).isEmpty();
    }

    /** Where permits are held now. */
    Set<BulkheadId> bulkheads() {
        return byBulkhead.values().stream().filter(here -> !here.isEmpty()).map(here -> here.bulkhead)
                .collect(Collectors.toSet());
    }

    /** All leases now. */
    List<Lease> all() {
        return byBulkhead.values().stream().flatMap(here -> here.select(lease -> true).stream()).toList();
    }

    /** Renews one lease at once. Fails as the store does, and then the lease is renewed as before. */
    CompletionStage<Void> renewNow(Lease lease) {
        long sentAt = timers.nanoTime();
        Duration length = lease.next(sentAt);
        return store.renew(lease.bulkheadId(), Map.of(lease.id(), length)).thenAccept(gone -> {
            if (gone.isEmpty()) {
                lease.renewedUntil(sentAt + length.toNanos());
            } else {
                forget(lease);
                lease.lose(Reason.GONE);
            }
        });
    }

    /** The store has taken a permit away: if it is of this process, it is lost. */
    void lose(String permitId, Reason reason) {
        byBulkhead.values().forEach(here -> here.takeOut(permitId).forEach(lease -> lease.lose(reason)));
    }

    /**
     * The leases of one bulkhead, in the order of arrival, and the timer for the first event. The timer stays when the last
     * lease goes: most permits are released long before, and the next one uses it.
     */
    private final class Leases {

        private final BulkheadId bulkhead;
        private final Timers.Alarm alarm = new Timers.Alarm(timers);
        private final Runnable whenDue = this::endAndRenewDue;

        // Guarded by this, as are the positions of the leases. A closed list stays empty.
        private Lease first;
        private Lease last;
        private boolean closed;

        private Leases(BulkheadId bulkhead) {
            this.bulkhead = bulkhead;
        }

        /** {@code false}: the list is closed. */
        private synchronized boolean add(Lease lease) {
            if (closed) {
                return false;
            }
            lease.before = last;
            if (last == null) {
                first = lease;
            } else {
                last.after = lease;
            }
            last = lease;
            lease.kept = true;
            lease.planFirstRenewal(timers.nanoTime());
            alarm.noLaterThan(nextEvent(lease), whenDue);
            return true;
        }

        /** Removes the lease if present. In one step with the check, because a call that ends takes the lock only once. */
        private synchronized boolean removeAndIsEmpty(Lease lease) {
            if (lease.kept) {
                unlink(lease);
            }
            return first == null;
        }

        private void unlink(Lease lease) {
            if (lease.before == null) {
                first = lease.after;
            } else {
                lease.before.after = lease.after;
            }
            if (lease.after == null) {
                last = lease.before;
            } else {
                lease.after.before = lease.before;
            }
            lease.before = null;
            lease.after = null;
            lease.kept = false;
        }

        private void closeIfEmpty() {
            synchronized (this) {
                if (first != null) {
                    return;
                }
                alarm.cancel();
                closed = true;
            }
            byBulkhead.remove(bulkhead, this);
        }

        private synchronized boolean isEmpty() {
            return first == null;
        }

        private synchronized List<Lease> select(Predicate<Lease> condition) {
            List<Lease> selected = new ArrayList<>();
            for (Lease lease = first; lease != null; lease = lease.after) {
                if (condition.test(lease)) {
                    selected.add(lease);
                }
            }
            return selected;
        }

        private List<Lease> takeOut(String permitId) {
            List<Lease> found;
            synchronized (this) {
                found = select(lease -> lease.id().equals(permitId));
                found.forEach(this::unlink);
            }
            if (!found.isEmpty()) {
                closeIfEmpty();
            }
            return found;
        }

        private void endAndRenewDue() {
            List<Lease> ended;
            List<Lease> due = List.of();
            synchronized (this) {
                alarm.cancel();
                long now = timers.nanoTime();
                ended = select(lease -> lease.endNanos() - now <= 0);
                ended.forEach(this::unlink);
                if (!select(lease -> !lease.renewing && lease.renewAt - now <= 0).isEmpty()) {
                    // All of them, even those that already last until max-hold: the reply says whether they still exist.
                    due = select(lease -> !lease.renewing);
                    due.forEach(lease -> lease.renewing = true);
                }
                scheduleNext();
            }
            closeIfEmpty();
            batches(due).forEach(this::renew);
            ended.forEach(lease -> lease.lose(lease.reasonOfEnd()));
        }

        private void renew(List<Lease> batch) {
            long sentAt = timers.nanoTime();
            Map<String, Duration> lengths = new HashMap<>();
            batch.forEach(lease -> lengths.put(lease.id(), lease.next(sentAt)));
            store.renew(bulkhead, lengths).whenComplete((gone, failure) -> {
                if (failure == null) {
                    renewed(batch, lengths, gone, sentAt);
                } else {
                    retryLater(batch);
                    listener.renewalFailed(bulkhead, batch.size(), Failures.cause(failure));
                }
            });
        }

        private void renewed(List<Lease> batch, Map<String, Duration> lengths, Set<String> gone, long sentAt) {
            List<Lease> lost = new ArrayList<>();
            synchronized (this) {
                for (Lease lease : batch) {
                    // A lease that is not kept was released meanwhile, and a release wins over a renewal in flight.
                    if (lease.kept && gone.contains(lease.id())) {
                        unlink(lease);
                        lost.add(lease);
                    } else if (lease.kept) {
                        lease.renewing = false;
                        lease.renewedUntil(sentAt + lengths.get(lease.id()).toNanos());
                        lease.renewAt = sentAt + lease.renewalInterval();
                    }
                }
                scheduleNext();
            }
            closeIfEmpty();
            lost.forEach(lease -> lease.lose(Reason.GONE));
        }

        private void retryLater(List<Lease> batch) {
            synchronized (this) {
                long now = timers.nanoTime();
                for (Lease lease : batch) {
                    if (lease.kept) {
                        lease.renewing = false;
                        lease.renewAt = now + Math.max(SHORTEST_GAP.toNanos(),
                                Math.min(lease.definition().terms().leaseNanos() / TRIES_PER_LEASE,
                                        (lease.endNanos() - now) / TRIES_WHILE_IT_LASTS));
                    }
                }
                scheduleNext();
            }
            closeIfEmpty();
        }

        // Within the lock.
        private void scheduleNext() {
            if (first == null) {
                return;
            }
            long next = nextEvent(first);
            for (Lease lease = first.after; lease != null; lease = lease.after) {
                long event = nextEvent(lease);
                next = event - next < 0 ? event : next;
            }
            alarm.noLaterThan(next, whenDue);
        }

        private static long nextEvent(Lease lease) {
            return lease.renewing || lease.renewAt - lease.endNanos() > 0 ? lease.endNanos() : lease.renewAt;
        }
    }

    // By weight, which is what a renewal costs the store.
    private static List<List<Lease>> batches(List<Lease> leases) {
        List<List<Lease>> batches = new ArrayList<>();
        int from = 0;
        int weight = 0;
        for (int i = 0; i < leases.size(); i++) {
            int next = Weights.of(leases.get(i).id());
            if (i > from && weight + next > PermitStore.MAX_RENEWED_AT_ONCE) {
                batches.add(leases.subList(from, i));
                from = i;
                weight = 0;
            }
            weight += next;
        }
        if (from < leases.size()) {
            batches.add(leases.subList(from, leases.size()));
        }
        return batches;
    }
}
