package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.store.steps.Left;
import io.quarkiverse.redisbulkhead.runtime.store.steps.QueuedWaiter;
import io.quarkiverse.redisbulkhead.runtime.store.steps.StandbyRound;
import io.quarkiverse.redisbulkhead.runtime.store.steps.StepTime;

/** A bulkhead of this process at one instant; collects what is to be told when the step is over. */
final class LocalStep implements BulkheadState {

    private final LocalBulkhead bulkhead;
    private final LocalClock clock;
    private final StepTime time;
    private final long now;
    private final List<Notice> notices = new ArrayList<>();

    /** Begins a step now. */
    LocalStep(LocalBulkhead bulkhead, LocalClock clock) {
        this.bulkhead = bulkhead;
        this.clock = clock;
        this.time = clock.now();
        this.now = time.millis();
    }

    List<Notice> notices() {
        return notices;
    }

    @Override
    public StepTime time() {
        return time;
    }

    @Override
    public void removeEnded() {
        bulkhead.cancelled.removeEnded(now, nothing -> {
        });
        bulkhead.holders.removeEnded(now, permit -> {
        });
        bulkhead.waiters.removeEnded(now, bulkhead::removeFromLine);
    }

    @Override
    public int inUse() {
        return bulkhead.holders.size();
    }

    @Override
    public OptionalLong nearestLeaseEnd() {
        return bulkhead.holders.live(now).mapToLong(Expiring.Entry::end).findFirst();
    }

    @Override
    public boolean isHeld(String permitId) {
        return bulkhead.holders.isLive(permitId, now);
    }

    @Override
    public long ticketOf(String permitId) {
        return bulkhead.holders.get(permitId).value().ticket();
    }

    @Override
    public long leaseEndOf(String permitId) {
        return bulkhead.holders.get(permitId).end();
    }

    @Override
    public long grant(AcquireRequest request, long leaseEnd) {
        bulkhead.removeWaiter(request.permitId());
        return grant(request, clock.nextTicket(time.micros()), leaseEnd);
    }

    private long grant(AcquireRequest request, long ticket, long leaseEnd) {
        bulkhead.holders.put(request.permitId(), new GrantedRequest(request, ticket, now), leaseEnd);
        return ticket;
    }

    @Override
    public void lengthenLease(String permitId, long leaseEnd) {
        bulkhead.holders.lengthen(permitId, leaseEnd);
    }

    @Override
    public void revoke(String permitId) {
        bulkhead.holders.remove(permitId);
        notices.add(new Notice.Revoked(permitId));
    }

    @Override
    public Left leave(String permitId) {
        boolean wasHeld = isHeld(permitId);
        bulkhead.holders.remove(permitId);
        WaitingRequest waiter = bulkhead.removeWaiter(permitId);
        if (waiter == null) {
            return wasHeld ? Left.PERMIT : Left.NOTHING;
        }
        return waiter.request().fair() ? Left.QUEUE : Left.STANDBY;
    }

    @Override
    public boolean isWaiting(String permitId) {
        return bulkhead.waiters.get(permitId) != null;
    }

    @Override
    public void keepPlace(AcquireRequest request, long placeEnd) {
        if (bulkhead.waiters.lengthen(request.permitId(), placeEnd)) {
            return;
        }
        long ticket = request.fair() ? clock.nextTicket(time.micros()) : 0;
        WaitingRequest waiter = new WaitingRequest(request, ticket, bulkhead.nextArrival(), now);
        bulkhead.waiters.put(request.permitId(), waiter, placeEnd);
        if (request.fair()) {
            bulkhead.queue.put(ticket, waiter);
        } else {
            bulkhead.standby.add(waiter);
        }
    }

    @Override
    public void lengthenPlace(String permitId, long placeEnd) {
        bulkhead.waiters.lengthen(permitId, placeEnd);
    }

    @Override
    public boolean queueIsEmpty() {
        return bulkhead.queue.isEmpty();
    }

    @Override
    public Optional<QueuedWaiter> firstInQueue() {
        return Optional.ofNullable(bulkhead.queue.firstEntry()).map(Map.Entry::getValue)
                .map(first -> new QueuedWaiter(first.request().permitId(), first.ticket(), first.request().limit(),
                        first.request().lease(), bulkhead.waiters.get(first.request().permitId()).end()));
    }

    @Override
    public void handOver(QueuedWaiter waiter, long leaseEnd) {
        WaitingRequest request = bulkhead.removeWaiter(waiter.permitId());
        grant(request.request(), waiter.ticket(), leaseEnd);
        notices.add(new Notice.HandedOver(waiter.permitId(), new HandOver(waiter.ticket(), leaseEnd)));
    }

    @Override
    public StandbyRound standbyRound() {
        long lastTurn = bulkhead.standby.lastTurn();
        return taken -> {
            Optional<WaitingRequest> next = nextOnStandby(taken, lastTurn);
            next.ifPresent(waiter -> notices.add(new Notice.PermitFree(waiter.request().permitId())));
            return next.isPresent();
        };
    }

    private Optional<WaitingRequest> nextOnStandby(int taken, long lastTurn) {
        if (bulkhead.resizedTo.isEmpty()) {
            return bulkhead.standby.next(taken, lastTurn);
        }
        return bulkhead.resizedTo.getAsInt() > taken ? bulkhead.standby.next(0, lastTurn) : Optional.empty();
    }

    @Override
    public boolean isCancelled(String permitId) {
        return bulkhead.cancelled.isLive(permitId, now);
    }

    @Override
    public void rememberCancelled(String permitId, long until) {
        if (!bulkhead.cancelled.lengthen(permitId, until)) {
            bulkhead.cancelled.put(permitId, true, until);
        }
    }

    @Override
    public OptionalInt resizedTo() {
        return bulkhead.resizedTo;
    }

    @Override
    public void resize(OptionalInt limit) {
        bulkhead.resizedTo = limit;
    }

    @Override
    public void stateLimit(int limit) {
        Set<Integer> others = bulkhead.statedLimits.state(limit, now);
        if (!others.isEmpty()) {
            notices.add(new Notice.LimitsDiffer(bulkhead.id(), limit, others));
        }
    }
}
