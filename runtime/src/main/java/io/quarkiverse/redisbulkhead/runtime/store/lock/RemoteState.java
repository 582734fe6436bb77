package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.lock.ScoredSet.Member;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Messages;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.store.steps.Left;
import io.quarkiverse.redisbulkhead.runtime.store.steps.QueuedWaiter;
import io.quarkiverse.redisbulkhead.runtime.store.steps.StandbyRound;
import io.quarkiverse.redisbulkhead.runtime.store.steps.StepTime;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/**
 * A bulkhead in Redis at one instant, as far as a {@link StateReader} has read it, and the changes that a step makes to it:
 * they are collected here, to be written all at once.
 */
final class RemoteState implements BulkheadState {

    /** How long a waiter that was told of a free permit lets others go first; it is back in its turn when it asks in vain. */
    private static final Duration TOLD = Duration.ofSeconds(10);

    /** The grace period is an entry of the queue that is no waiter, scored by its end in milliseconds: less than any ticket. */
    static final String GRACE_ENTRY = "grace period";

    /** How long a limit that an operator has set outlives its last use. */
    private static final Duration OVERRIDE_LASTS = Duration.ofDays(RedisSemaphore.RESIZE_LASTS_DAYS);

    /** Who is to be told what, once the step is in force. */
    record Message(String mailbox, String text) {
    }

    private final BulkheadData data;
    private final StepTime time;
    private final long now;
    private final BulkheadNames names;
    private final boolean frugal;
    private final List<Message> messages = new ArrayList<>();
    private final List<Notice> notices = new ArrayList<>();
    private boolean forgetsCancelled;
    private boolean fellShort;

    /**
     * @param frugal whether to leave out what can be done later: removing what has ended, and passing free permits on
     */
    RemoteState(BulkheadData data, StepTime time, BulkheadNames names, boolean frugal) {
        this.data = data;
        this.time = time;
        this.now = time.millis();
        this.names = names;
        this.frugal = frugal;
    }

    /** Those to be told once the step is in force. */
    List<Message> messages() {
        return messages;
    }

    /** What to tell the caller once the step is in force. */
    List<Notice> notices() {
        return notices;
    }

    /** Whether there may be more to do than could be done with what was read. */
    boolean fellShort() {
        return fellShort;
    }

    /** The commands that bring the changes about. */
    List<Request> changes() {
        List<Request> commands = new ArrayList<>();
        if (forgetsCancelled) {
            commands.add(Request.cmd(Command.ZREMRANGEBYSCORE).arg(names.keys().of(Part.CANCELLED)).arg("-inf").arg(now));
        }
        commands.addAll(data.changes(names.keys()));
        return commands;
    }

    /** Whether the step does nothing but remove ids, which is safe whatever others do meanwhile. */
    boolean onlyRemoves() {
        return !data.hasGrown() && messages.isEmpty();
    }

    @Override
    public StepTime time() {
        return time;
    }

    @Override
    public void removeEnded() {
        if (frugal) {
            return;
        }
        if (data.ticket().tellsOfSetBack(time.micros())) {
            shortenAfterSetBack();
        }
        data.holders().upTo(now).forEach(ended -> forgetPermit(ended.id()));
        data.waiters().upTo(now).forEach(ended -> forgetWaiter(ended.id()));
        fellShort |= data.endedUnknown() > 0;
    }

    /** Nothing lasts longer from now on than it was given for. This never takes anything from those who renew. */
    private void shortenAfterSetBack() {
        for (Member holder : data.holders().after(now)) {
            data.details().get(holder.id()).map(details -> time.endOf(details.lease())).filter(end -> end < holder.score())
                    .ifPresent(end -> data.holders().put(holder.id(), end));
        }
        long placeEnd = time.endOf(PermitStore.LONGEST_PLACE);
        data.waiters().after(placeEnd).forEach(waiter -> data.waiters().put(waiter.id(), placeEnd));
    }

    private void forgetPermit(String id) {
        data.holders().remove(id);
        data.details().remove(id);
    }

    private void forgetWaiter(String id) {
        data.waiters().remove(id);
        data.queue().remove(id);
        data.standby().remove(id);
        data.details().remove(id);
    }

    @Override
    public int inUse() {
        return (int) Math.min(Integer.MAX_VALUE, data.holders().size() - data.endedUnknown());
    }

    @Override
    public OptionalLong nearestLeaseEnd() {
        Optional<Member> nearest = data.holders().firstAfter(now);
        return nearest.isPresent() ? OptionalLong.of(nearest.get().score()) : OptionalLong.empty();
    }

    @Override
    public boolean isHeld(String permitId) {
        return data.holders().score(permitId).orElse(now) > now;
    }

    @Override
    public long ticketOf(String permitId) {
        return data.details().get(permitId).map(PermitDetails::ticket).orElse(0L);
    }

    @Override
    public long leaseEndOf(String permitId) {
        return data.holders().score(permitId).orElseThrow();
    }

    @Override
    public long grant(AcquireRequest request, long leaseEnd) {
        forgetWaiter(request.permitId());
        long ticket = data.ticket().next(time.micros());
        hold(request.permitId(), leaseEnd, PermitDetails.of(request, ticket, now, names.mailbox()));
        return ticket;
    }

    private void hold(String id, long leaseEnd, PermitDetails details) {
        data.holders().put(id, leaseEnd);
        data.details().put(id, details);
        keep(details.lease(), Part.HOLDERS, Part.DETAILS, Part.TICKET);
        data.ticket().noteTheTime(time.micros());
    }

    private void keep(Duration duration, Part... keys) {
        for (Part key : keys) {
            data.lifetimes().keep(key, duration);
        }
    }

    @Override
    public void lengthenLease(String permitId, long leaseEnd) {
        if (leaseEnd > leaseEndOf(permitId)) {
            data.holders().put(permitId, leaseEnd);
        }
        keep(Duration.ofMillis(leaseEnd - now), Part.HOLDERS, Part.DETAILS, Part.TICKET);
        data.ticket().noteTheTime(time.micros());
    }

    @Override
    public void revoke(String permitId) {
        tell(permitId, Messages.revoked(permitId));
        forgetPermit(permitId);
    }

    private void tell(String permitId, String text) {
        data.details().get(permitId).ifPresent(details -> messages.add(new Message(details.mailbox(), text)));
    }

    @Override
    public Left leave(String permitId) {
        Left left = whatIs(permitId);
        data.holders().remove(permitId);
        forgetWaiter(permitId);
        return left;
    }

    private Left whatIs(String permitId) {
        if (isHeld(permitId)) {
            return Left.PERMIT;
        }
        if (data.standby().contains(permitId)) {
            return Left.STANDBY;
        }
        return data.queue().contains(permitId) ? Left.QUEUE : Left.NOTHING;
    }

    @Override
    public boolean isWaiting(String permitId) {
        return data.waiters().contains(permitId);
    }

    @Override
    public void keepPlace(AcquireRequest request, long oldTicket, long placeEnd) {
        String id = request.permitId();
        Duration longer = request.place().compareTo(request.lease()) > 0 ? request.place() : request.lease();
        if (isWaiting(id)) {
            restoreTurn(id);
            lengthenPlace(id, placeEnd);
        } else {
            data.waiters().put(id, placeEnd);
            long ticket = !request.fair() ? 0 : oldTicket > 0 ? oldTicket : data.ticket().next(time.micros());
            data.ticket().pass(ticket);
            data.details().put(id, PermitDetails.of(request, ticket, now, names.mailbox()));
            if (request.fair()) {
                data.queue().put(id, ticket);
            } else {
                data.standby().put(id, time.micros());
            }
        }
        keep(longer, Part.WAITERS, Part.QUEUE, Part.STANDBY, Part.DETAILS, Part.TICKET);
        data.ticket().noteTheTime(time.micros());
    }

    private void restoreTurn(String id) {
        if (data.standby().contains(id)) {
            long since = data.details().get(id).map(PermitDetails::since).orElse(now);
            data.standby().put(id, since * 1_000);
        }
    }

    @Override
    public void lengthenPlace(String permitId, long placeEnd) {
        OptionalLong end = data.waiters().score(permitId);
        if (end.isPresent() && placeEnd > end.getAsLong()) {
            data.waiters().put(permitId, placeEnd);
        }
        if (end.isPresent()) {
            data.ticket().noteTheTime(time.micros());
        }
        keep(Duration.ofMillis(placeEnd - now), Part.WAITERS, Part.QUEUE, Part.STANDBY, Part.DETAILS, Part.TICKET);
    }

    @Override
    public long ticketOfWaiter(String permitId) {
        return data.queue().score(permitId).orElse(0);
    }

    @Override
    public long lastTicket() {
        return data.ticket().last();
    }

    @Override
    public boolean mayBeLost() {
        return queueIsEmpty() && lastTicket() == 0;
    }

    @Override
    public void startGracePeriod(long until) {
        data.queue().put(GRACE_ENTRY, until);
        keep(PermitStore.GRACE_PERIOD, Part.QUEUE, Part.TICKET);
        data.ticket().noteTheTime(time.micros());
    }

    @Override
    public OptionalLong gracePeriodEnd() {
        OptionalLong end = data.queue().score(GRACE_ENTRY);
        // A longer one began before the clock was set back, and does not count.
        return end.isPresent() && end.getAsLong() > now && end.getAsLong() <= time.endOf(PermitStore.GRACE_PERIOD) ? end
                : OptionalLong.empty();
    }

    @Override
    public boolean queueIsEmpty() {
        return data.queue().isEmpty();
    }

    @Override
    public boolean isBeforeQueue(long ticket) {
        return gracePeriodEnd().isEmpty() && data.queue().first().filter(first -> first.score() > ticket).isPresent();
    }

    @Override
    public Optional<QueuedWaiter> firstInQueue() {
        while (!queueIsEmpty() && !frugal && gracePeriodEnd().isEmpty()) {
            Optional<Member> first = data.queue().first();
            if (first.isEmpty()) {
                fellShort = true;
                return Optional.empty();
            }
            String id = first.get().id();
            Optional<PermitDetails> details = data.details().get(id);
            if (details.isPresent() && data.waiters().score(id).orElse(now) > now) {
                return Optional.of(new QueuedWaiter(id, details.get().limit(), details.get().lease()));
            }
            forgetWaiter(id);
        }
        return Optional.empty();
    }

    @Override
    public void handOver(QueuedWaiter waiter, long leaseEnd) {
        String id = waiter.permitId();
        PermitDetails details = data.details().get(id).orElseThrow();
        forgetWaiter(id);
        long token = data.ticket().next(time.micros());
        hold(id, leaseEnd, details.heldSince(now, token));
        tell(id, Messages.handedOver(id, new HandOver(token, leaseEnd)));
    }

    @Override
    public StandbyRound standbyRound() {
        Iterator<Member> turns = (frugal ? List.<Member> of() : data.standby().inOrder()).iterator();
        return taken -> {
            while (turns.hasNext()) {
                String id = turns.next().id();
                if (isCallable(id, taken)) {
                    data.standby().put(id, time.micros() + TOLD.toMillis() * 1_000);
                    tell(id, Messages.free(id));
                    return true;
                }
            }
            return false;
        };
    }

    private boolean isCallable(String id, int taken) {
        return data.standby().contains(id) && data.waiters().score(id).orElse(now) > now
                && data.details().get(id).filter(waiter -> resizedTo().orElse(waiter.limit()) > taken).isPresent();
    }

    @Override
    public boolean isCancelled(String permitId) {
        return data.cancelled().score(permitId).orElse(now) > now;
    }

    @Override
    public void rememberCancelled(String permitId, long until) {
        forgetsCancelled = true;
        data.cancelled().put(permitId, Math.max(until, data.cancelled().score(permitId).orElse(until)));
        keep(Duration.ofMillis(until - now), Part.CANCELLED);
    }

    @Override
    public OptionalInt resizedTo() {
        return data.limits().override();
    }

    @Override
    public void resize(OptionalInt limit) {
        data.limits().override(limit);
        if (limit.isPresent()) {
            keep(OVERRIDE_LASTS, Part.LIMITS);
        } else {
            data.lifetimes().cut(Part.LIMITS, PermitStore.LIMIT_REMEMBERED);
        }
    }

    @Override
    public void stateLimit(int limit) {
        if (frugal) {
            return;
        }
        Set<Integer> others = data.limits().state(limit, now);
        if (data.limits().changes().hasGrown()) {
            keep(resizedTo().isPresent() ? OVERRIDE_LASTS : PermitStore.LIMIT_REMEMBERED, Part.LIMITS);
        }
        if (!others.isEmpty()) {
            notices.add(new Notice.LimitsDiffer(names.bulkhead(), limit, others));
        }
    }
}
