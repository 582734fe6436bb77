package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.ArrayList;
import java.util.List;
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

/** The steps of one bulkhead of this process, one after the other; collects what is to be told when a step is over. */
final class LocalStep implements BulkheadState {

    private final LocalBulkhead bulkhead;
    private final LocalClock clock;

    private long micros;
    private long now;
    private List<Notice> notices = List.of();

    LocalStep(LocalBulkhead bulkhead, LocalClock clock) {
        this.bulkhead = bulkhead;
        this.clock = clock;
    }

    /** Begins the next step now. */
    void begin() {
        micros = clock.micros();
        now = StepTime.millis(micros);
    }

    List<Notice> takeNotices() {
        List<Notice> taken = notices;
        notices = List.of();
        return taken;
    }

    private void tell(Notice notice) {
        if (notices.isEmpty()) {
            notices = new ArrayList<>();
        }
        notices.add(notice);
    }

    @Override
    public StepTime time() {
        return new StepTime(micros);
    }

    long now() {
        return now;
    }

    @Override
    public void removeEnded() {
        bulkhead.cancelled.removeEnded(now, request -> {
        });
        bulkhead.holders.removeEnded(now, permit -> {
        });
        if (!bulkhead.waiters.isEmpty()) {
            bulkhead.waiters.removeEnded(now, bulkhead::removeFromLine);
        }
    }

    @Override
    public int inUse() {
        return bulkhead.holders.size();
    }

    @Override
    public OptionalLong nearestLeaseEnd() {
        return bulkhead.holders.live(1, now).stream().mapToLong(GrantedRequest::end).findFirst();
    }

    @Override
    public boolean isHeld(String permitId) {
        return bulkhead.holders.isLive(permitId, now);
    }

    @Override
    public long ticketOf(String permitId) {
        return bulkhead.holders.get(permitId).ticket();
    }

    @Override
    public long leaseEndOf(String permitId) {
        return bulkhead.holders.get(permitId).end();
    }

    @Override
    public long grant(AcquireRequest request, long leaseEnd) {
        bulkhead.removeWaiter(request.permitId());
        long token = clock.nextTicket(micros);
        bulkhead.holders.add(new GrantedRequest(request, token, now), leaseEnd);
        return token;
    }

    @Override
    public void lengthenLease(String permitId, long leaseEnd) {
        bulkhead.holders.lengthen(permitId, leaseEnd);
    }

    @Override
    public void revoke(String permitId) {
        bulkhead.holders.remove(permitId);
        tell(new Notice.Revoked(permitId));
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
    public void keepPlace(AcquireRequest request, long oldTicket, long placeEnd) {
        if (bulkhead.waiters.lengthen(request.permitId(), placeEnd)) {
            return;
        }
        long ticket = !request.fair() ? 0 : oldTicket > 0 ? oldTicket : clock.nextTicket(micros);
        clock.passTicket(ticket);
        WaitingRequest waiter = new WaitingRequest(request, ticket, bulkhead.nextArrival(), now);
        bulkhead.waiters.add(waiter, placeEnd);
        if (request.fair()) {
            bulkhead.queue.add(waiter);
        } else {
            bulkhead.standby.add(waiter);
        }
    }

    @Override
    public void lengthenPlace(String permitId, long placeEnd) {
        bulkhead.waiters.lengthen(permitId, placeEnd);
    }

    @Override
    public long ticketOfWaiter(String permitId) {
        return bulkhead.waiters.get(permitId).ticket();
    }

    @Override
    public long lastTicket() {
        return clock.lastTicket();
    }

    @Override
    public boolean queueIsEmpty() {
        return bulkhead.queue.isEmpty();
    }

    @Override
    public boolean isBeforeQueue(long ticket) {
        return bulkhead.queue.isEmpty() || bulkhead.queue.first().ticket() > ticket;
    }

    @Override
    public Optional<QueuedWaiter> firstInQueue() {
        if (bulkhead.queue.isEmpty()) {
            return Optional.empty();
        }
        WaitingRequest first = bulkhead.queue.first();
        return Optional.of(new QueuedWaiter(first.request().permitId(), first.request().limit(), first.request().lease()));
    }

    @Override
    public void handOver(QueuedWaiter waiter, long leaseEnd) {
        long token = grant(bulkhead.waiters.get(waiter.permitId()).request(), leaseEnd);
        tell(new Notice.HandedOver(waiter.permitId(), new HandOver(token, leaseEnd)));
    }

    @Override
    public StandbyRound standbyRound() {
        if (bulkhead.standby.isEmpty()) {
            return taken -> false;
        }
        long lastTurn = bulkhead.standby.lastTurn();
        return taken -> {
            Optional<WaitingRequest> next = nextOnStandby(taken, lastTurn);
            next.ifPresent(waiter -> tell(new Notice.PermitFree(waiter.request().permitId())));
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
            bulkhead.cancelled.add(new CancelledRequest(permitId), until);
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
            tell(new Notice.LimitsDiffer(bulkhead.id(), limit, others));
        }
    }
}
