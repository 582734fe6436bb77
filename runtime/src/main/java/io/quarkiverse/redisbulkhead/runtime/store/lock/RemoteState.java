package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.lock.ScoredSet.Member;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
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

    /** How long a limit that an operator has set outlives its last use. */
    private static final Duration OVERRIDE_LASTS = Duration.ofDays(30);
    private static final Duration STATED_LASTS = Duration.ofMillis(LimitsHash.STATED_LASTS_MILLIS);

    /** Who is to be told what, once the step is in force. */
    record Message(String mailbox, String text) {
    }

    private final Parts parts;
    private final StepTime time;
    private final long now;
    private final AddressBook book;
    private final boolean frugal;
    private final List<Message> messages = new ArrayList<>();
    private final List<Notice> notices = new ArrayList<>();
    private boolean forgetsCancelled;
    private boolean fellShort;

    /**
     * What was read.
     *
     * @param holders permit ids by the end of their lease
     * @param queue permit ids by ticket
     * @param waiters permit ids by the end of their place
     * @param standby permit ids by turn, in microseconds
     * @param cancelled permit ids by the end of their cancellation
     * @param endedUnknown how many leases have ended that are not among those read
     */
    record Parts(ScoredSet holders, ScoredSet queue, ScoredSet waiters, ScoredSet standby, ScoredSet cancelled,
            DetailsHash details, LimitsHash limits, Ticket ticket, Lifetimes lifetimes, long endedUnknown) {

        private Map<Part, Changes> changes() {
            Map<Part, Changes> changes = new EnumMap<>(Part.class);
            changes.put(Part.HOLDERS, holders.changes());
            changes.put(Part.QUEUE, queue.changes());
            changes.put(Part.WAITERS, waiters.changes());
            changes.put(Part.STANDBY, standby.changes());
            changes.put(Part.CANCELLED, cancelled.changes());
            changes.put(Part.DETAILS, details.changes());
            changes.put(Part.LIMITS, limits.changes());
            return changes;
        }
    }

    /**
     * Names that a step needs.
     *
     * @param bulkhead the bulkhead's name
     * @param mailbox where this process is told of what concerns it
     * @param keys the keys of the bulkhead
     */
    record AddressBook(String bulkhead, String mailbox, BulkheadKeys keys) {
    }

    /**
     * @param frugal whether to leave out what can be done later: removing what has ended, and passing free permits on
     */
    RemoteState(Parts parts, StepTime time, AddressBook book, boolean frugal) {
        this.parts = parts;
        this.time = time;
        this.now = time.millis();
        this.book = book;
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
            commands.add(Request.cmd(Command.ZREMRANGEBYSCORE).arg(book.keys().of(Part.CANCELLED)).arg("-inf").arg(now));
        }
        Map<Part, Changes> changes = parts.changes();
        changes.values().forEach(change -> commands.addAll(change.commands()));
        commands.addAll(parts.ticket().changes());
        Set<Part> written = EnumSet.noneOf(Part.class);
        changes.forEach((part, change) -> {
            if (change.hasGrown()) {
                written.add(part);
            }
        });
        if (parts.ticket().isTaken()) {
            written.add(Part.TICKET);
        }
        commands.addAll(parts.lifetimes().changes(book.keys(), written));
        return commands;
    }

    /** Whether the step does nothing but remove ids, which is safe whatever others do meanwhile. */
    boolean onlyRemoves() {
        return parts.changes().values().stream().noneMatch(Changes::hasGrown) && !parts.ticket().isTaken()
                && messages.isEmpty();
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
        parts.holders().upTo(now).forEach(ended -> forgetPermit(ended.id()));
        parts.waiters().upTo(now).forEach(ended -> forgetWaiter(ended.id()));
        fellShort |= parts.endedUnknown() > 0;
    }

    private void forgetPermit(String id) {
        parts.holders().remove(id);
        parts.details().remove(id);
    }

    private void forgetWaiter(String id) {
        parts.waiters().remove(id);
        parts.queue().remove(id);
        parts.standby().remove(id);
        parts.details().remove(id);
    }

    @Override
    public int inUse() {
        return (int) Math.min(Integer.MAX_VALUE, parts.holders().size() - parts.endedUnknown());
    }

    @Override
    public OptionalLong nearestLeaseEnd() {
        Optional<Member> nearest = parts.holders().firstAfter(now);
        return nearest.isPresent() ? OptionalLong.of(nearest.get().score()) : OptionalLong.empty();
    }

    @Override
    public boolean isHeld(String permitId) {
        return parts.holders().score(permitId).orElse(now) > now;
    }

    @Override
    public long ticketOf(String permitId) {
        return parts.details().get(permitId).map(PermitDetails::ticket).orElse(0L);
    }

    @Override
    public long leaseEndOf(String permitId) {
        return parts.holders().score(permitId).orElseThrow();
    }

    @Override
    public long grant(AcquireRequest request, long leaseEnd) {
        forgetWaiter(request.permitId());
        long ticket = parts.ticket().next(time.micros());
        hold(request.permitId(), leaseEnd, PermitDetails.of(request, ticket, now, book.mailbox()));
        return ticket;
    }

    private void hold(String id, long leaseEnd, PermitDetails details) {
        parts.holders().put(id, leaseEnd);
        parts.details().put(id, details);
        keep(details.lease(), Part.HOLDERS, Part.DETAILS, Part.TICKET);
    }

    private void keep(Duration duration, Part... keys) {
        for (Part key : keys) {
            parts.lifetimes().keep(key, duration);
        }
    }

    @Override
    public void lengthenLease(String permitId, long leaseEnd) {
        if (leaseEnd > leaseEndOf(permitId)) {
            parts.holders().put(permitId, leaseEnd);
        }
        keep(Duration.ofMillis(leaseEnd - now), Part.HOLDERS, Part.DETAILS, Part.TICKET);
    }

    @Override
    public void revoke(String permitId) {
        tell(permitId, Messages.revoked(permitId));
        forgetPermit(permitId);
    }

    private void tell(String permitId, String text) {
        parts.details().get(permitId).ifPresent(details -> messages.add(new Message(details.mailbox(), text)));
    }

    @Override
    public Left leave(String permitId) {
        Left left = whatIs(permitId);
        parts.holders().remove(permitId);
        forgetWaiter(permitId);
        return left;
    }

    private Left whatIs(String permitId) {
        if (isHeld(permitId)) {
            return Left.PERMIT;
        }
        if (parts.standby().contains(permitId)) {
            return Left.STANDBY;
        }
        return parts.queue().contains(permitId) ? Left.QUEUE : Left.NOTHING;
    }

    @Override
    public boolean isWaiting(String permitId) {
        return parts.waiters().contains(permitId);
    }

    @Override
    public void keepPlace(AcquireRequest request, long placeEnd) {
        String id = request.permitId();
        Duration longer = request.place().compareTo(request.lease()) > 0 ? request.place() : request.lease();
        if (isWaiting(id)) {
            restoreTurn(id);
            lengthenPlace(id, placeEnd);
        } else {
            parts.waiters().put(id, placeEnd);
            long ticket = request.fair() ? parts.ticket().next(time.micros()) : 0;
            parts.details().put(id, PermitDetails.of(request, ticket, now, book.mailbox()));
            if (request.fair()) {
                parts.queue().put(id, ticket);
                keep(longer, Part.TICKET);
            } else {
                parts.standby().put(id, time.micros());
            }
        }
        keep(longer, Part.WAITERS, Part.QUEUE, Part.STANDBY, Part.DETAILS);
    }

    private void restoreTurn(String id) {
        if (parts.standby().contains(id)) {
            long since = parts.details().get(id).map(PermitDetails::since).orElse(now);
            parts.standby().put(id, since * 1_000);
        }
    }

    @Override
    public void lengthenPlace(String permitId, long placeEnd) {
        OptionalLong end = parts.waiters().score(permitId);
        if (end.isPresent() && placeEnd > end.getAsLong()) {
            parts.waiters().put(permitId, placeEnd);
        }
        keep(Duration.ofMillis(placeEnd - now), Part.WAITERS, Part.QUEUE, Part.STANDBY, Part.DETAILS, Part.TICKET);
    }

    @Override
    public boolean queueIsEmpty() {
        return parts.queue().isEmpty();
    }

    @Override
    public Optional<QueuedWaiter> firstInQueue() {
        while (!queueIsEmpty() && !frugal) {
            Optional<Member> first = parts.queue().first();
            if (first.isEmpty()) {
                fellShort = true;
                return Optional.empty();
            }
            String id = first.get().id();
            Optional<PermitDetails> details = parts.details().get(id);
            long placeEnd = parts.waiters().score(id).orElse(now);
            if (details.isPresent() && placeEnd > now) {
                return Optional.of(new QueuedWaiter(id, first.get().score(), details.get().limit(), details.get().lease(),
                        placeEnd));
            }
            forgetWaiter(id);
        }
        return Optional.empty();
    }

    @Override
    public void handOver(QueuedWaiter waiter, long leaseEnd) {
        String id = waiter.permitId();
        PermitDetails details = parts.details().get(id).orElseThrow();
        forgetWaiter(id);
        hold(id, leaseEnd, details.heldSince(now));
        tell(id, Messages.handedOver(id, new HandOver(waiter.ticket(), leaseEnd)));
    }

    @Override
    public StandbyRound standbyRound() {
        Iterator<Member> turns = (frugal ? List.<Member> of() : parts.standby().inOrder()).iterator();
        return taken -> {
            while (turns.hasNext()) {
                String id = turns.next().id();
                if (isCallable(id, taken)) {
                    parts.standby().put(id, time.micros() + TOLD.toMillis() * 1_000);
                    tell(id, Messages.free(id));
                    return true;
                }
            }
            return false;
        };
    }

    private boolean isCallable(String id, int taken) {
        return parts.standby().contains(id) && parts.waiters().score(id).orElse(now) > now
                && parts.details().get(id).filter(waiter -> resizedTo().orElse(waiter.limit()) > taken).isPresent();
    }

    @Override
    public boolean isCancelled(String permitId) {
        return parts.cancelled().score(permitId).orElse(now) > now;
    }

    @Override
    public void refuse(String permitId, long until) {
        forgetsCancelled = true;
        parts.cancelled().put(permitId, Math.max(until, parts.cancelled().score(permitId).orElse(until)));
        keep(Duration.ofMillis(until - now), Part.CANCELLED);
    }

    @Override
    public OptionalInt resizedTo() {
        return parts.limits().override();
    }

    @Override
    public void resize(OptionalInt limit) {
        parts.limits().override(limit);
        if (limit.isPresent()) {
            keep(OVERRIDE_LASTS, Part.LIMITS);
        } else {
            parts.lifetimes().cut(Part.LIMITS, STATED_LASTS);
        }
    }

    @Override
    public void stateLimit(int limit) {
        if (frugal) {
            return;
        }
        Set<Integer> others = parts.limits().state(limit, now);
        if (parts.limits().changes().hasGrown()) {
            keep(resizedTo().isPresent() ? OVERRIDE_LASTS : STATED_LASTS, Part.LIMITS);
        }
        if (!others.isEmpty()) {
            notices.add(new Notice.LimitsDiffer(book.bulkhead(), limit, others));
        }
    }
}
