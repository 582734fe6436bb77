package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadSteps;

/** What is remembered about one bulkhead, and the lock that its steps take. All else is to be used within a step only. */
final class LocalBulkhead {

    final Expiring<String, GrantedRequest> holders = new Expiring<>();

    /** All waiters. Each is also in either the queue or among the standby. */
    final Expiring<String, WaitingRequest> waiters = new Expiring<>();

    /** The fair waiters. Two may have the same ticket, as it is what they say that they had before. */
    final NavigableSet<WaitingRequest> queue = new TreeSet<>(
            Comparator.comparingLong(WaitingRequest::ticket).thenComparing(WaitingRequest::key));

    final Standby standby = new Standby();

    final Expiring<String, CancelledRequest> cancelled = new Expiring<>();

    final StatedLimits statedLimits = new StatedLimits();

    OptionalInt resizedTo = OptionalInt.empty();

    private final BulkheadId id;
    private final Lock lock = new ReentrantLock();
    private final LocalStep step;
    private final BulkheadSteps operations;

    private volatile boolean forgotten;
    private long lastArrival;

    LocalBulkhead(BulkheadId id, LocalClock clock) {
        this.id = id;
        this.step = new LocalStep(this, clock);
        this.operations = new BulkheadSteps(step);
    }

    /**
     * Begins a step, once others have ended.
     *
     * @return {@code false} when this was forgotten meanwhile, and so there is no step
     */
    boolean begin() {
        lock.lock();
        if (forgotten) {
            lock.unlock();
            return false;
        }
        step.begin();
        return true;
    }

    /** What can be done in a step. */
    BulkheadSteps operations() {
        return operations;
    }

    /** When the step is. */
    long now() {
        return step.now();
    }

    /** What is to be told when the step has ended. */
    List<Notice> takeNotices() {
        return step.takeNotices();
    }

    void end() {
        lock.unlock();
    }

    /** Whether any permit is held. */
    boolean isHeld() {
        return holders.liveSize(now()) > 0;
    }

    /** Nobody who finds this from now on may use it. To be called within a step. */
    void forget() {
        forgotten = true;
    }

    /** Whether it {@linkplain #forget was forgotten}. */
    boolean isForgotten() {
        return forgotten;
    }

    BulkheadId id() {
        return id;
    }

    /** Whether there is nothing left to remember; the limits that were stated are not worth it. */
    boolean isDead() {
        long now = now();
        return resizedTo.isEmpty() && holders.allEnded(now) && waiters.allEnded(now) && cancelled.allEnded(now);
    }

    long nextArrival() {
        return ++lastArrival;
    }

    /** The waiter that was removed, or null. */
    WaitingRequest removeWaiter(String id) {
        WaitingRequest waiter = waiters.remove(id);
        if (waiter != null) {
            removeFromLine(waiter);
        }
        return waiter;
    }

    /** Removes one that is no waiter any more from the queue or from the standby. */
    void removeFromLine(WaitingRequest waiter) {
        if (waiter.request().fair()) {
            queue.remove(waiter);
        } else {
            standby.remove(waiter);
        }
    }

    Occupancy occupancy(int most) {
        long now = now();
        List<Holder> listedHolders = holders.live(most, now).stream().map(GrantedRequest::describe).toList();
        List<Waiter> listedWaiters = Stream.concat(queue.stream(), standby.inOrderOfArrival())
                .filter(waiter -> waiter.end() > now).limit(most)
                .map(WaitingRequest::describe).toList();
        return new Occupancy(holders.liveSize(now), waiters.liveSize(now), resizedTo, statedLimits.at(now), listedHolders,
                listedWaiters);
    }
}
