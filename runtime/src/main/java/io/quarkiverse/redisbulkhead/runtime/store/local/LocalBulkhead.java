package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Cancelled;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;

/** The state of one bulkhead. Not thread-safe: its store runs one step at a time. */
final class LocalBulkhead {

    private static final int TOLD_AFTER_RESIZING = 100;

    private final String name;

    private final Expiring<String, GrantedRequest> holders = new Expiring<>();

    /** All waiters. Each is also in either the queue or among the standby. */
    private final Expiring<String, WaitingRequest> waiters = new Expiring<>();

    /** The fair waiters, by ticket. */
    private final NavigableMap<Long, WaitingRequest> queue = new TreeMap<>();

    private final Standby standby = new Standby();

    /** Requests that were undone; the value says nothing. */
    private final Expiring<String, Boolean> cancelled = new Expiring<>();

    private final StatedLimits statedLimits = new StatedLimits();

    private OptionalInt resizedTo = OptionalInt.empty();

    private long lastArrival;

    LocalBulkhead(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** Whether there is nothing left to remember; the limits that were stated are not worth it. */
    boolean isDead(long now) {
        return resizedTo.isEmpty() && holders.allEnded(now) && waiters.allEnded(now) && cancelled.allEnded(now);
    }

    AcquireReply acquire(AcquireRequest request, Step step) {
        String id = request.permitId();
        if (cancelled.isLive(id, step.millis())) {
            return new Cancelled();
        }
        settle(step);
        state(request.limit(), step);
        if (holders.get(id) != null) {
            return new Granted(holders.get(id).value().ticket(), false);
        }
        int limit = resizedTo.orElse(request.limit());
        if (queue.isEmpty() && holders.size() < limit) {
            removeWaiter(id);
            return new Granted(grant(request, step.nextTicket(), step.endOf(request.lease()), step).ticket(), false);
        }
        if (request.place().isZero()) {
            return new Full(limit, nearestLeaseEnd(step), false);
        }
        keepPlace(request, step);
        return new Waiting(limit, nearestLeaseEnd(step), step.nextMillis(), false);
    }

    boolean release(String id, Step step) {
        boolean wasHeld = holders.isLive(id, step.millis());
        boolean wasOnStandby = leave(id);
        settle(step);
        wake(wasHeld || wasOnStandby ? 1 : 0, step);
        return wasHeld;
    }

    Void cancel(List<String> ids, Duration forgetAfter, Step step) {
        int freed = 0;
        boolean standbyLeft = false;
        for (String id : ids) {
            freed += holders.isLive(id, step.millis()) ? 1 : 0;
            standbyLeft |= leave(id);
            refuse(id, step.endOf(forgetAfter));
        }
        settle(step);
        wake(Math.max(freed, standbyLeft ? 1 : 0), step);
        return null;
    }

    /** Does not settle: a renewal is about the permits of one process and leaves everything else as it is. */
    Set<String> renew(Map<String, Duration> leases, Step step) {
        Set<String> lost = new HashSet<>();
        leases.forEach((id, lease) -> {
            if (holders.isLive(id, step.millis())) {
                holders.lengthen(id, step.endOf(lease));
            } else {
                lost.add(id);
            }
        });
        return lost;
    }

    PollReply poll(int limit, Map<String, Duration> places, Step step) {
        places.forEach((id, place) -> waiters.lengthen(id, step.endOf(place)));
        settle(step);
        Map<String, HandOver> handedOver = new HashMap<>();
        Set<String> gone = new HashSet<>();
        for (String id : places.keySet()) {
            if (holders.get(id) != null) {
                handedOver.put(id, handOver(holders.get(id)));
            } else if (waiters.get(id) == null) {
                gone.add(id);
            }
        }
        int free = queue.isEmpty() ? Math.max(0, resizedTo.orElse(limit) - holders.size()) : 0;
        return new PollReply(handedOver, gone, free, nearestLeaseEnd(step), step.nextMillis());
    }

    boolean revoke(String id, Step step) {
        boolean wasHeld = holders.isLive(id, step.millis());
        if (wasHeld) {
            holders.remove(id);
            step.tell(new Notice.Revoked(id));
        }
        settle(step);
        wake(wasHeld ? 1 : 0, step);
        return wasHeld;
    }

    Void resize(int limit, Step step) {
        resizedTo = OptionalInt.of(limit);
        settle(step);
        wake(TOLD_AFTER_RESIZING, step);
        return null;
    }

    boolean resetSize(Step step) {
        boolean wasResized = resizedTo.isPresent();
        resizedTo = OptionalInt.empty();
        settle(step);
        wake(TOLD_AFTER_RESIZING, step);
        return wasResized;
    }

    Occupancy occupancy(int most, Step step) {
        long now = step.millis();
        List<Holder> listedHolders = holders.live(now).limit(most)
                .map(entry -> entry.value().describe(entry.end())).toList();
        List<Waiter> listedWaiters = Stream.concat(queue.values().stream(), standby.inOrderOfArrival())
                .map(waiter -> waiters.get(waiter.request().permitId()))
                .filter(entry -> entry.end() > now).limit(most)
                .map(entry -> entry.value().describe(entry.end())).toList();
        return new Occupancy(holders.liveSize(now), waiters.liveSize(now), resizedTo, statedLimits.at(now), listedHolders,
                listedWaiters);
    }

    /** Removes what has ended, then gives free permits to the queue. The first of the queue is never overtaken. */
    private void settle(Step step) {
        long now = step.millis();
        cancelled.removeEnded(now, nothing -> {
        });
        holders.removeEnded(now, permit -> {
        });
        waiters.removeEnded(now, this::forget);
        while (!queue.isEmpty() && holders.size() < limitOf(queue.firstEntry().getValue())) {
            handOver(queue.firstEntry().getValue(), step);
        }
    }

    private void handOver(WaitingRequest waiter, Step step) {
        String id = waiter.request().permitId();
        long leaseEnd = HandOver.leaseEnd(step.millis(), waiters.get(id).end(), waiter.request().lease());
        removeWaiter(id);
        grant(waiter.request(), waiter.ticket(), leaseEnd, step);
        step.tell(new Notice.HandedOver(id, handOver(holders.get(id))));
    }

    private static HandOver handOver(Expiring.Entry<String, GrantedRequest> holder) {
        return new HandOver(holder.value().ticket(), holder.end());
    }

    private GrantedRequest grant(AcquireRequest request, long ticket, long leaseEnd, Step step) {
        GrantedRequest permit = new GrantedRequest(request, ticket, step.millis());
        holders.put(request.permitId(), permit, leaseEnd);
        return permit;
    }

    /** Keeps a place that there is, with all that was asked for at first, or gives a new one. */
    private void keepPlace(AcquireRequest request, Step step) {
        String id = request.permitId();
        if (waiters.lengthen(id, step.endOf(request.place()))) {
            return;
        }
        long ticket = request.fair() ? step.nextTicket() : 0;
        WaitingRequest waiter = new WaitingRequest(request, ticket, ++lastArrival, step.millis());
        waiters.put(id, waiter, step.endOf(request.place()));
        if (request.fair()) {
            queue.put(ticket, waiter);
        } else {
            standby.add(waiter);
        }
    }

    /** Removes the id from wherever it is, and tells whether it was a waiter that was not fair. */
    private boolean leave(String id) {
        holders.remove(id);
        WaitingRequest waiter = removeWaiter(id);
        return waiter != null && !waiter.request().fair();
    }

    private WaitingRequest removeWaiter(String id) {
        WaitingRequest waiter = waiters.remove(id);
        if (waiter != null) {
            forget(waiter);
        }
        return waiter;
    }

    private void forget(WaitingRequest waiter) {
        if (waiter.request().fair()) {
            queue.remove(waiter.ticket());
        } else {
            standby.remove(waiter);
        }
    }

    private void refuse(String id, long until) {
        if (!cancelled.lengthen(id, until)) {
            cancelled.put(id, true, until);
        }
    }

    /**
     * Tells as many standby as there are permits free for them, each once, and no more than the given number. Going
     * through them once is enough: whoever was passed over has a limit that is already reached.
     */
    private void wake(int most, Step step) {
        if (!queue.isEmpty()) {
            return;
        }
        long lastTurn = standby.lastTurn();
        for (int told = 0; told < most; told++) {
            Optional<WaitingRequest> next = standbyWithMoreThan(holders.size() + told, lastTurn);
            if (next.isEmpty()) {
                return;
            }
            step.tell(new Notice.PermitFree(next.get().request().permitId()));
        }
    }

    private Optional<WaitingRequest> standbyWithMoreThan(int taken, long lastTurn) {
        if (resizedTo.isEmpty()) {
            return standby.next(taken, lastTurn);
        }
        return resizedTo.getAsInt() > taken ? standby.next(0, lastTurn) : Optional.empty();
    }

    private int limitOf(WaitingRequest waiter) {
        return resizedTo.orElse(waiter.request().limit());
    }

    private void state(int limit, Step step) {
        Set<Integer> others = statedLimits.state(limit, step.millis());
        if (!others.isEmpty()) {
            step.tell(new Notice.LimitsDiffer(name, limit, others));
        }
    }

    private Duration nearestLeaseEnd(Step step) {
        return holders.live(step.millis()).findFirst()
                .map(first -> Duration.ofMillis(Math.max(1, first.end() - step.nextMillis()))).orElse(Duration.ZERO);
    }
}
