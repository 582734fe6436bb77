package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * The permits of one bulkhead that this process holds, in the order in which they came, and the alarm for the first of
 * them. The alarm stays planned when the last permit goes, as most permits go long before, and the next one can use it.
 * Safe for use by many threads.
 */
final class KeptPermits {

    private final BulkheadId bulkhead;
    private final Timers timers;
    private final Alarm alarm;
    private final Runnable whenDue;

    // All of these are guarded by this, and so are the places of the permits.
    private LeasedPermit first;
    private LeasedPermit last;
    private boolean closed;

    /** What is to be done at some moment. */
    record Due(List<LeasedPermit> ended, List<LeasedPermit> renewed) {
    }

    KeptPermits(BulkheadId bulkhead, Timers timers, Consumer<KeptPermits> whenDue) {
        this.bulkhead = bulkhead;
        this.timers = timers;
        this.alarm = new Alarm(timers);
        this.whenDue = () -> whenDue.accept(this);
    }

    BulkheadId bulkhead() {
        return bulkhead;
    }

    /**
     * Takes a permit in.
     *
     * @return {@code false} when this is closed
     */
    synchronized boolean add(LeasedPermit permit) {
        if (closed) {
            return false;
        }
        permit.before = last;
        if (last == null) {
            first = permit;
        } else {
            last.after = permit;
        }
        last = permit;
        permit.kept = true;
        long now = timers.nanoTime();
        // The first lease may be shorter than the others.
        permit.renewAt = now
                + Math.min(permit.renewalInterval(), permit.shareUntilRenewal(permit.firstEndInStoreNanos() - now));
        alarm.noLaterThan(nextEvent(permit), whenDue);
        return true;
    }

    /**
     * Removes a permit, if it is here.
     *
     * @return whether none is left
     */
    synchronized boolean remove(LeasedPermit permit) {
        if (permit.kept) {
            unlink(permit);
        }
        return first == null;
    }

    private void unlink(LeasedPermit permit) {
        if (permit.before == null) {
            first = permit.after;
        } else {
            permit.before.after = permit.after;
        }
        if (permit.after == null) {
            last = permit.before;
        } else {
            permit.after.before = permit.before;
        }
        permit.before = null;
        permit.after = null;
        permit.kept = false;
    }

    /**
     * Ends this when there is no permit.
     *
     * @return whether it has ended
     */
    synchronized boolean closeIfEmpty() {
        if (first == null) {
            alarm.cancel();
            closed = true;
        }
        return closed;
    }

    synchronized boolean isEmpty() {
        return first == null;
    }

    synchronized List<LeasedPermit> all() {
        return select(permit -> true);
    }

    synchronized boolean contains(String permitId) {
        return !select(permit -> permit.id().equals(permitId)).isEmpty();
    }

    /** Removes the permit of that id. */
    synchronized List<LeasedPermit> takeOut(String permitId) {
        List<LeasedPermit> found = select(permit -> permit.id().equals(permitId));
        found.forEach(this::unlink);
        return found;
    }

    private List<LeasedPermit> select(Predicate<LeasedPermit> condition) {
        List<LeasedPermit> selected = new ArrayList<>();
        for (LeasedPermit permit = first; permit != null; permit = permit.after) {
            if (condition.test(permit)) {
                selected.add(permit);
            }
        }
        return selected;
    }

    /** The alarm has gone off: removes those whose lease has ended; when one is due to be renewed, all are. */
    synchronized Due due() {
        alarm.cancel();
        long now = timers.nanoTime();
        List<LeasedPermit> ended = select(permit -> permit.leaseEndNanos() - now <= 0);
        ended.forEach(this::unlink);
        List<LeasedPermit> renewed = List.of();
        if (!select(permit -> !permit.renewing && permit.renewAt - now <= 0).isEmpty()) {
            // Also those whose lease reaches to the end of max-hold: they learn whether they are still there.
            renewed = select(permit -> !permit.renewing);
            renewed.forEach(permit -> permit.renewing = true);
        }
        planNext();
        return new Due(ended, renewed);
    }

    /**
     * A renewal was answered.
     *
     * @param permits those that it was about
     * @param gone which of them the store does not know any more
     * @param then what a renewed one is told
     * @return those that are lost
     */
    synchronized List<LeasedPermit> renewed(Collection<LeasedPermit> permits, Predicate<LeasedPermit> gone,
            Consumer<LeasedPermit> then) {
        List<LeasedPermit> lost = new ArrayList<>();
        for (LeasedPermit permit : permits) {
            // Else it was released meanwhile, which beats the renewal.
            if (permit.kept) {
                permit.renewing = false;
                if (gone.test(permit)) {
                    unlink(permit);
                    lost.add(permit);
                } else {
                    then.accept(permit);
                }
            }
        }
        planNext();
        return lost;
    }

    // Within the lock.
    private void planNext() {
        if (first == null) {
            return;
        }
        long next = nextEvent(first);
        for (LeasedPermit permit = first.after; permit != null; permit = permit.after) {
            long event = nextEvent(permit);
            next = event - next < 0 ? event : next;
        }
        alarm.noLaterThan(next, whenDue);
    }

    private static long nextEvent(LeasedPermit permit) {
        long end = permit.leaseEndNanos();
        return permit.renewing || permit.renewAt - end > 0 ? end : permit.renewAt;
    }
}
