package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;

/** What is remembered about one bulkhead. Not thread-safe: its store runs one step at a time. */
final class LocalBulkhead {

    final Expiring<String, GrantedRequest> holders = new Expiring<>();

    /** All waiters. Each is also in either the queue or among the standby. */
    final Expiring<String, WaitingRequest> waiters = new Expiring<>();

    /** The fair waiters, by ticket. */
    final NavigableMap<Long, WaitingRequest> queue = new TreeMap<>();

    final Standby standby = new Standby();

    /** Requests that were undone; the value says nothing. */
    final Expiring<String, Boolean> cancelled = new Expiring<>();

    final StatedLimits statedLimits = new StatedLimits();

    OptionalInt resizedTo = OptionalInt.empty();

    private final BulkheadId id;

    private long lastArrival;

    LocalBulkhead(BulkheadId id) {
        this.id = id;
    }

    BulkheadId id() {
        return id;
    }

    /** Whether there is nothing left to remember; the limits that were stated are not worth it. */
    boolean isDead(long now) {
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
            queue.remove(waiter.ticket());
        } else {
            standby.remove(waiter);
        }
    }

    Occupancy occupancy(int most, long now) {
        List<Holder> listedHolders = holders.live(now).limit(most)
                .map(entry -> entry.value().describe(entry.end())).toList();
        List<Waiter> listedWaiters = Stream.concat(queue.values().stream(), standby.inOrderOfArrival())
                .map(waiter -> waiters.get(waiter.request().permitId()))
                .filter(entry -> entry.end() > now).limit(most)
                .map(entry -> entry.value().describe(entry.end())).toList();
        return new Occupancy(holders.liveSize(now), waiters.liveSize(now), resizedTo, statedLimits.at(now), listedHolders,
                listedWaiters);
    }
}
