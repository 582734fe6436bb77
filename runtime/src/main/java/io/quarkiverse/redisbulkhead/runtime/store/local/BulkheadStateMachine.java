package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Cancelled;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.HolderMark;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitTerms;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * The state machine of one bulkhead: who holds permits, who waits, and what each operation of a {@link PermitStore} does to
 * them. The scripts do the same in Lua; generated histories compare the two.
 * <p>
 * Each step starts with {@link #begin}, which sets the time; messages are collected until
 * {@link #takeMessages}. Each operation works on live permits only: it first removes leases that have ended, hands free
 * permits over to the queue, and finally notifies waiters outside of the queue of free permits.
 * <p>
 * Waiters live as long as their process: a process that has neither polled nor waited for the length of a place is dead, and
 * its waiters are removed when their turn comes.
 * <p>
 * Not safe for use by several threads at once.
 */
public final class BulkheadStateMachine {

    /** How many waiters one operation notifies of free permits. */
    private static final int NOTIFIED_AT_ONCE = 100;

    /** How many waiters one operation serves, or removes because they are dead. */
    private static final int SERVED_AT_ONCE = 1_000;

    /** For how long a waiter that was notified of a free permit is passed over, microseconds. */
    private static final long NOTIFIED_MICROS = 10_000_000;

    /** A last ticket so far ahead of the clock means that the clock was set back, microseconds. */
    private static final long SET_BACK_MICROS = 1_000_000;

    /**
     * No ticket is less, microseconds. Redis keeps the end of the grace period, in milliseconds, before all tickets in the
     * same sorted set.
     */
    private static final long SMALLEST_TICKET = 10_000_000_000_000L;

    private static final long LIMIT_REFRESHED_MILLIS = 5_000;
    private static final int MOST_DECLARED_LIMITS = 8;

    /** Longer than any real lease, and short enough to be added to any instant. */
    private static final Duration LONGEST = Duration.ofDays(365_000);
    private static final int NANOS_PER_MILLI = 1_000_000;

    /**
     * A message to a process.
     *
     * @param process the process
     * @param notice the content
     */
    public record Message(String process, Notice notice) {
    }

    /**
     * Everything that is remembered about a bulkhead, in the form in which Redis keeps it. Times are in milliseconds since
     * the epoch.
     *
     * @param holders the entries of permits, which are as many as a permit weighs, to the ends of their leases
     * @param queue the ids of fair waiters to their tickets
     * @param standby the ids of the other waiters to their turns, in microseconds since the epoch
     * @param cancelled permit ids to the times until which they are refused
     * @param permits what is known about holders and waiters by id
     * @param alive processes to the times until which they count as alive
     * @param declaredLimits limits to the times when they were noted last, the most recent one last
     * @param resizedTo the limit that an operator has set
     * @param lastTicket the greatest ticket given, or the latest time noted in microseconds; 0 when nothing is known
     * @param gracePeriodEnd the end of the grace period; 0 for none
     */
    public record Contents(Map<String, Long> holders, Map<String, Long> queue, Map<String, Long> standby,
            Map<String, Long> cancelled, Map<String, Permit> permits, Map<String, Long> alive,
            Map<Integer, Long> declaredLimits,
            OptionalInt resizedTo, long lastTicket, long gracePeriodEnd) {
    }

    private record DeclaredLimit(int limit, long at) {
    }

    private static final class CancelledId extends ScoredSet.Entry {

        private final String id;

        private CancelledId(String id) {
            this.id = id;
        }

        @Override
        String id() {
            return id;
        }
    }

    private final BulkheadId id;
    private final int most;
    private final boolean clockMayGoBack;

    /** By the end of the lease, milliseconds. */
    private final ScoredSet<Permit> holders = new ScoredSet<>();

    /** Fair waiters by ticket. */
    private final ScoredSet<Permit> queue = new ScoredSet<>();

    /** Other waiters by turn, microseconds. */
    private final ScoredSet<Permit> standby = new ScoredSet<>();

    /** Waiters that were notified of a free permit, by the time when they are on standby again, microseconds. */
    private final ScoredSet<Permit> notified = new ScoredSet<>();

    private final ScoredSet<CancelledId> cancelled = new ScoredSet<>();
    private final Map<String, Long> alive = new HashMap<>(2);

    /** The most recent one last. */
    private final List<DeclaredLimit> declaredLimits = new ArrayList<>(1);

    private OptionalInt resizedTo = OptionalInt.empty();
    private long lastTicket;
    private long gracePeriodEnd;

    private boolean restricted;
    private long micros;
    private long now;
    private long from;
    private List<Message> messages = List.of();
    private List<LimitMismatch> mismatches = List.of();

    /**
     * Creates an empty bulkhead that loses nothing, by a clock that never goes back.
     *
     * @param id its id
     * @param lastTicket a ticket that is smaller than all that will be given, at least 1
     */
    BulkheadStateMachine(BulkheadId id, long lastTicket) {
        this(id, Integer.MAX_VALUE, false);
        this.lastTicket = lastTicket;
    }

    private BulkheadStateMachine(BulkheadId id, int most, boolean clockMayGoBack) {
        this.id = id;
        this.most = most;
        this.clockMayGoBack = clockMayGoBack;
    }

    /**
     * Creates a bulkhead with what is remembered about it.
     *
     * @param id its id
     * @param contents what is remembered; not kept
     * @param most how many holders and waiters there may be; more are refused by {@link StoreException}
     */
    public BulkheadStateMachine(BulkheadId id, Contents contents, int most) {
        this(id, most, true);
        contents.holders().forEach((entry, end) -> {
            // Further entries whose first one was lost count until they end.
            if (!Weights.isFurther(entry) || !contents.holders().containsKey(Weights.permitOf(entry))) {
                holders.add(permit(contents, entry), end);
            }
        });
        contents.queue().forEach((permitId, ticket) -> queue.add(permit(contents, permitId), ticket));
        contents.standby().forEach((permitId, turn) -> notified.add(permit(contents, permitId), turn));
        contents.cancelled().forEach((permitId, until) -> cancelled.add(new CancelledId(permitId), until));
        contents.declaredLimits().forEach((limit, at) -> declaredLimits.add(new DeclaredLimit(limit, at)));
        alive.putAll(contents.alive());
        resizedTo = contents.resizedTo();
        lastTicket = contents.lastTicket();
        gracePeriodEnd = contents.gracePeriodEnd();
    }

    private Permit permit(Contents contents, String permitId) {
        Permit known = contents.permits().get(permitId);
        return known == null ? Permit.unknown(id, permitId) : known.copy();
    }

    /** Everything that is remembered. */
    public Contents contents() {
        Contents all = new Contents(new HashMap<>(), new HashMap<>(), new HashMap<>(), new HashMap<>(), new HashMap<>(),
                Map.copyOf(alive), new LinkedHashMap<>(), resizedTo, lastTicket, gracePeriodEnd);
        copy(holders, all.holders(), all.permits());
        holders.all().stream().filter(permit -> permit.weight() > 1).forEach(permit -> Weights.furtherEntries(permit.id())
                .forEach(entry -> all.holders().put(entry, permit.score())));
        copy(queue, all.queue(), all.permits());
        copy(standby, all.standby(), all.permits());
        copy(notified, all.standby(), all.permits());
        cancelled.all().forEach(entry -> all.cancelled().put(entry.id(), entry.score()));
        declaredLimits.forEach(declared -> all.declaredLimits().put(declared.limit(), declared.at()));
        return all;
    }

    private static void copy(ScoredSet<Permit> set, Map<String, Long> scores, Map<String, Permit> permits) {
        for (Permit permit : set.all()) {
            scores.put(permit.id(), permit.score());
            if (permit.isKnown()) {
                permits.put(permit.id(), permit);
            }
        }
    }

    // ---- steps

    /**
     * Begins the next step.
     *
     * @param nowMicros the time of the step, in microseconds since the epoch
     */
    public void begin(long nowMicros) {
        micros = nowMicros;
        now = Math.floorDiv(nowMicros, 1_000L);
        from = -Math.floorDiv(-nowMicros, 1_000L);
        if (lastTicket == 0 && waiting() + gracePeriodEnd > 0) {
            forgetWaiters();
        }
    }

    /** What was known about the waiters is lost. They queue again when they learn of it. */
    private void forgetWaiters() {
        if (!queueIsEmpty()) {
            startGracePeriod();
        }
        Stream.of(queue, standby, notified).forEach(ScoredSet::clear);
    }

    /** From now on an operation does only what was requested: it grants nothing, serves no waiter, and removes no others. */
    public void restrict() {
        restricted = true;
    }

    /** The messages since this was called last, in order. */
    public List<Message> takeMessages() {
        List<Message> taken = messages;
        messages = List.of();
        return taken;
    }

    /** The differing limits that calls have found since this was called last. */
    public List<LimitMismatch> takeLimitMismatches() {
        List<LimitMismatch> taken = mismatches;
        mismatches = List.of();
        return taken;
    }

    private void addMessage(String process, Notice notice) {
        if (messages.isEmpty()) {
            messages = new ArrayList<>();
        }
        messages.add(new Message(process, notice));
    }

    BulkheadId id() {
        return id;
    }

    /** The greatest ticket given, or the latest time noted in microseconds; 0 when nothing is known. */
    long lastTicket() {
        return lastTicket;
    }

    /** Whether any permit is held. */
    boolean isHeld() {
        return holders.weightUpTo(now) < holders.weight();
    }

    /** Whether there is nothing left to remember; limits that were declared are not worth it. */
    boolean isForgettable() {
        return resizedTo.isEmpty() && holders.greatestScore() <= now && cancelled.greatestScore() <= now
                && (waiting() == 0 || alive.values().stream().allMatch(until -> until <= now));
    }

    // ---- acquire

    /**
     * As {@link PermitStore#acquire}.
     *
     * @param process the requesting process
     * @throws StoreException when there would be too many holders and waiters
     */
    public AcquireReply acquire(String process, AcquireRequest request) {
        if (cancelled.isAbove(request.permitId(), now)) {
            return new Cancelled();
        }
        boolean isLost = lastTicket == 0;
        expireAndServe();
        AcquireReply reply = tryAcquire(process, request, isLost);
        wake();
        return reply;
    }

    private AcquireReply tryAcquire(String process, AcquireRequest request, boolean isLost) {
        noteLimit(request.limit());
        Permit held = holders.get(request.permitId());
        if (held != null && held.isKnown()) {
            // The caller counts its lease from when it sent the request; the permit may have been handed over long before.
            lengthen(held, request.lease());
            return new Granted(held.ticket(), false);
        }
        if (held != null && !restricted) {
            // Its record was lost, and with it the token. It counts already.
            return new Granted(grant(process, request), false);
        }
        int limit = limit(request.limit());
        int weight = Weights.of(request.permitId());
        long ticket = request.fair() && request.ticket() > 0 ? possible(request.ticket()) : 0;
        if (ticket > 0 && isLost) {
            startGracePeriod();
        }
        if (!restricted && holders.weight() + weight <= limit && isNext(ticket)) {
            refuseMoreThan(most, request);
            return new Granted(grant(process, request), false);
        }
        if (weight > limit) {
            removeWaiter(request.permitId());
        }
        if (request.place().isZero() || weight > limit) {
            return new Full(limit, nearestEnd(), false);
        }
        refuseMoreThan(most, request);
        long place = keepPlace(process, request, ticket);
        return new Waiting(limit, nearestEnd(), from, place, false);
    }

    private void refuseMoreThan(int number, AcquireRequest request) {
        int weight = holders.weight() + queue.weight() + standby.weight() + notified.weight();
        if (weight + Weights.of(request.permitId()) > number && waiter(request.permitId()) == null) {
            throw new StoreException("The bulkhead " + id + " has " + weight
                    + " holders and waiters, but store=lock supports at most " + number
                    + ", because each of its steps reads all of them. Set quarkus.redis-bulkhead.store=script, "
                    + "or lower the bulkhead's permits or max-waiters", false, null);
        }
    }

    /** As {@link InProcessPermitStore#takeIfFree}. */
    Permit takeIfFree(String process, PermitTerms terms, IntFunction<String> ids) {
        expireAndServe();
        Permit taken = null;
        if (holders.weight() + terms.weight() <= limit(terms.limit()) && queueIsEmpty()) {
            noteLimit(terms.limit());
            taken = new Permit(terms, ids, process, nextTicket(), now);
            holders.add(taken, endOf(terms.lease()));
        }
        wake();
        return taken;
    }

    /** A ticket that cannot have been given counts as the nearest one that can have been. */
    private long possible(long ticket) {
        return Math.min(Math.max(ticket, SMALLEST_TICKET), Math.max(lastTicket, micros));
    }

    private boolean isNext(long ticket) {
        return queueIsEmpty() || gracePeriodEnd == 0 && ticket > 0 && queue.first().score() > ticket;
    }

    private void startGracePeriod() {
        gracePeriodEnd = endOf(PermitStore.GRACE_PERIOD);
        noteTheTime();
    }

    private long grant(String process, AcquireRequest request) {
        remove(request.permitId());
        return hold(request.terms(), request.permitId(), process, endOf(request.lease()));
    }

    private long hold(PermitTerms terms, String permitId, String process, long leaseEnd) {
        long token = nextTicket();
        holders.add(new Permit(terms, permitId, process, token, now), leaseEnd);
        return token;
    }

    private long keepPlace(String process, AcquireRequest request, long oldTicket) {
        keepAlive(process, request.place());
        Permit waiter = waiter(request.permitId());
        if (waiter == null) {
            removeWaiter(request.permitId());
            waiter = new Permit(request.terms(), request.permitId(), process,
                    !request.fair() ? 0 : oldTicket > 0 ? oldTicket : nextTicket(), now);
            if (request.fair()) {
                queue.add(waiter, waiter.ticket());
                lastTicket = Math.max(lastTicket, waiter.ticket());
            } else {
                standby.add(waiter, micros);
            }
        } else if (waiter.ticket() == 0) {
            // It was notified of a permit and found none, so its old turn is due.
            notified.remove(waiter.id());
            standby.remove(waiter.id());
            standby.add(waiter, waiter.since() * 1_000);
        }
        return waiter.ticket();
    }

    /** Notes the limit of a request. Every few seconds, reports which others were used within the last minute. */
    private void noteLimit(int limit) {
        DeclaredLimit latest = declaredLimits.isEmpty() ? null : declaredLimits.get(declaredLimits.size() - 1);
        if (restricted || latest != null && latest.limit() == limit && now - latest.at() < LIMIT_REFRESHED_MILLIS
                || declaredLimits.stream().anyMatch(it -> it.limit() == limit && now - it.at() < LIMIT_REFRESHED_MILLIS)) {
            return;
        }
        declaredLimits.removeIf(it -> it.limit() == limit || !isRemembered(it));
        Set<Integer> others = new HashSet<>();
        declaredLimits.forEach(it -> others.add(it.limit()));
        declaredLimits.add(new DeclaredLimit(limit, now));
        noteTheTime();
        if (declaredLimits.size() > MOST_DECLARED_LIMITS) {
            others.remove(declaredLimits.remove(0).limit());
        }
        if (!others.isEmpty()) {
            mismatches = mismatches.isEmpty() ? new ArrayList<>() : mismatches;
            mismatches.add(new LimitMismatch(id, limit, others));
        }
    }

    private boolean isRemembered(DeclaredLimit declared) {
        return now - declared.at() < PermitStore.LIMIT_REMEMBERED.toMillis();
    }

    // ---- other operations

    /** As {@link PermitStore#release(BulkheadId, String, Duration)}. */
    public boolean release(String permitId, Duration minHold) {
        Permit held = minHold.isZero() ? null : holders.get(permitId);
        boolean wasHeld = remove(permitId);
        if (held != null && wasHeld) {
            keepReleased(held, minHold);
        }
        passOn();
        return wasHeld;
    }

    /** As {@link InProcessPermitStore#releaseNow(InProcessPermitStore.Taken, Duration)}. */
    boolean release(Permit permit, Duration minHold) {
        if (!holders.contains(permit)) {
            // Another record may have taken its place when it was detached, which is known by its id.
            return permit.hasId() && release(permit.id(), minHold);
        }
        boolean wasHeld = permit.score() > now;
        holders.remove(permit);
        if (wasHeld && !minHold.isZero()) {
            keepReleased(permit, minHold);
        }
        passOn();
        return wasHeld;
    }

    /** Without a record the start is not known: then it counts from now, so that it is not too short. */
    private void keepReleased(Permit held, Duration minHold) {
        Permit released = held.released();
        long end = Math.min(held.score(), endOf(minHold));
        if (held.isKnown()) {
            end = Math.min(end, held.since() + minHold.toMillis());
        }
        // One that is there already was released first. This one is a copy of its request, which came late.
        if (end > now && !holders.isAbove(released.id(), now)) {
            holders.remove(released.id());
            holders.add(released, end);
        }
    }

    /** As {@link PermitStore#cancel}. */
    public void cancel(List<String> permitIds, Duration forgetAfter) {
        long until = endOf(forgetAfter);
        for (String permitId : permitIds) {
            remove(permitId);
            refuse(permitId, until);
        }
        passOn();
    }

    private void refuse(String permitId, long until) {
        CancelledId known = cancelled.get(permitId);
        if (known == null) {
            cancelled.add(new CancelledId(permitId), until);
        } else if (known.score() < until) {
            cancelled.move(known, until);
        }
    }

    private boolean remove(String permitId) {
        Permit removed = holders.remove(permitId);
        if (removed == null && Weights.of(permitId) > 1) {
            Weights.furtherEntries(permitId).forEach(holders::remove);
        }
        removeWaiter(permitId);
        return removed != null && removed.score() > now;
    }

    private void removeWaiter(String permitId) {
        if (waiting() > 0) {
            queue.remove(permitId);
            standby.remove(permitId);
            notified.remove(permitId);
        }
    }

    /** As {@link PermitStore#renew}. It concerns the permits of one process, and changes nothing else. */
    public Set<String> renew(Map<String, Duration> leases) {
        Set<String> lost = new HashSet<>();
        leases.forEach((permitId, lease) -> {
            if (holders.isAbove(permitId, now)) {
                lengthen(holders.get(permitId), lease);
            } else {
                lost.add(permitId);
            }
        });
        return lost;
    }

    private void lengthen(Permit held, Duration lease) {
        if (endOf(lease) > held.score()) {
            holders.move(held, endOf(lease));
        }
        noteTheTime();
    }

    /**
     * As {@link PermitStore#poll}.
     *
     * @param process the process that polls
     */
    public PollReply poll(String process, int limit, Collection<String> permitIds, Duration place) {
        if (waiting() + gracePeriodEnd > 0) {
            keepAlive(process, place);
        }
        passOn();
        Map<String, HandOver> handedOver = new HashMap<>();
        Set<String> gone = new HashSet<>();
        for (String permitId : permitIds) {
            Permit held = holders.get(permitId);
            if (held != null && held.score() > now && held.isKnown()) {
                handedOver.put(permitId, new HandOver(held.ticket(), held.score()));
            } else if (waiter(permitId) == null) {
                gone.add(permitId);
            } else if (Weights.of(permitId) > limit(limit)) {
                removeWaiter(permitId);
                gone.add(permitId);
            }
        }
        int free = queueIsEmpty() && !restricted ? Math.max(0, limit(limit) - holders.weight()) : 0;
        return new PollReply(handedOver, gone, free, nearestEnd(), from);
    }

    /** As {@link PermitStore#detach}. */
    public boolean detach(String permitId, Duration lease, String digest, Duration refuseFor) {
        Permit held = liveAndKnown(permitId);
        if (held == null) {
            return false;
        }
        holders.remove(held);
        holders.add(held.heldBy(HolderMark.detached(digest)), Math.max(held.score(), endOf(lease)));
        noteTheTime();
        if (!refuseFor.isZero()) {
            refuse(permitId, endOf(refuseFor));
        }
        return true;
    }

    /**
     * As {@link PermitStore#attach}.
     *
     * @param process the process that attaches
     */
    public Optional<Attached> attach(String process, AttachRequest request) {
        AcquireRequest requested = request.permit();
        Permit attached = liveAndKnown(requested.permitId());
        Permit present = attached == null ? liveAndKnown(request.detachedId()) : attached;
        if (present == null
                || !present.process().equals(attached == null ? HolderMark.detached(request.digest()) : process)) {
            return Optional.empty();
        }
        long end = endOf(requested.lease());
        if (!request.mostFromStart().isZero()) {
            end = Math.min(end, present.since() + request.mostFromStart().toMillis());
        }
        end = Math.max(present.score(), end);
        noteTheTime();
        if (attached == null) {
            holders.remove(present);
            remove(requested.permitId());
            present = new Permit(requested.terms(), requested.permitId(), process, nextTicket(), present.since());
            holders.add(present, end);
        } else {
            holders.move(present, end);
        }
        return Optional.of(new Attached(present.ticket(), Duration.ofMillis(Math.max(0, now - present.since()))));
    }

    private Permit liveAndKnown(String permitId) {
        Permit held = holders.get(permitId);
        return held != null && held.isKnown() && held.score() > now ? held : null;
    }

    /** As {@link PermitStore#revoke}. */
    public boolean revoke(String permitId) {
        boolean isHeld = holders.isAbove(permitId, now) && !Weights.isFurther(permitId);
        Permit revoked = isHeld ? holders.remove(permitId) : null;
        if (revoked != null && revoked.isKnown() && revoked.state() == Holder.State.HELD) {
            addMessage(revoked.process(), new Notice.Revoked(permitId));
        }
        passOn();
        return isHeld;
    }

    /**
     * As {@link PermitStore#resize} and {@link PermitStore#resetSize}.
     *
     * @param limit the limit for all callers; empty for the limits that they state
     * @return whether a limit was set before
     */
    public boolean resize(OptionalInt limit) {
        boolean wasSet = resizedTo.isPresent();
        resizedTo = limit;
        noteTheTime();
        passOn();
        return wasSet;
    }

    /** As {@link PermitStore#occupancy}. It changes nothing. */
    public Occupancy occupancy(int mostListed) {
        List<Holder> listed = holders.inOrder(mostListed, now).stream().filter(permit -> !Weights.isFurther(permit.id()))
                .map(Permit::describeHolder).toList();
        int waiting = (int) Stream.of(queue, standby, notified).flatMap(set -> set.all().stream()).filter(this::isLive).count();
        List<Waiter> fair = liveWaiters(queue, mostListed);
        List<Waiter> others = Stream
                .concat(liveWaiters(standby, mostListed).stream(), liveWaiters(notified, mostListed).stream())
                .limit(mostListed - fair.size()).sorted(Comparator.comparing(Waiter::since)).toList();
        SortedSet<Integer> declared = new TreeSet<>();
        declaredLimits.stream().filter(this::isRemembered).forEach(it -> declared.add(it.limit()));
        return new Occupancy(holders.weight() - holders.weightUpTo(now), 0, waiting, resizedTo, declared, listed,
                Stream.concat(fair.stream(), others.stream()).toList());
    }

    private List<Waiter> liveWaiters(ScoredSet<Permit> waiters, int mostListed) {
        return waiters.inOrder(waiters.size(), Long.MIN_VALUE).stream().filter(this::isLive).limit(mostListed)
                .map(waiter -> waiter.describeWaiter(alive.get(waiter.process()))).toList();
    }

    /**
     * As {@link PermitStore#ownPermits}.
     *
     * @param process the process
     */
    public Set<String> ownPermits(String process) {
        Set<String> own = new HashSet<>();
        for (Permit permit : holders.all()) {
            if (permit.score() > now && permit.process().equals(process)) {
                own.add(permit.id());
            }
        }
        return own;
    }

    /**
     * Removes holders whose leases have ended, and waiters whose processes are dead.
     *
     * @return whether there were any
     */
    public boolean removeDead() {
        int before = holders.size() + waiting();
        removeEnded();
        for (ScoredSet<Permit> waiters : List.of(queue, standby, notified)) {
            List.copyOf(waiters.all()).stream().filter(waiter -> !isLive(waiter)).forEach(waiters::remove);
        }
        return holders.size() + waiting() < before;
    }

    // ---- what each operation does besides

    private void passOn() {
        expireAndServe();
        wake();
    }

    private void expireAndServe() {
        if (!restricted) {
            removeEnded();
            serveQueue();
        }
    }

    /** Removes what has ended. After the clock was set back, nothing lasts longer from now on than it was given for. */
    private void removeEnded() {
        if (clockMayGoBack && lastTicket > micros + SET_BACK_MICROS) {
            shortenAfterSetBack();
        }
        while (!holders.isEmpty() && holders.first().score() <= now) {
            holders.remove(holders.first());
        }
        while (!cancelled.isEmpty() && cancelled.first().score() <= now) {
            cancelled.remove(cancelled.first());
        }
        if (!alive.isEmpty()) {
            alive.values().removeIf(until -> until <= now);
        }
        // One that is longer than it can be began before the clock was set back.
        if (gracePeriodEnd <= now || gracePeriodEnd > endOf(PermitStore.GRACE_PERIOD)) {
            gracePeriodEnd = 0;
        }
    }

    /** This takes nothing from processes that renew and poll. */
    private void shortenAfterSetBack() {
        for (Permit holder : List.copyOf(holders.all())) {
            if (holder.isKnown() && holder.score() > endOf(holder.terms().lease())) {
                holders.move(holder, endOf(holder.terms().lease()));
            }
        }
        alive.replaceAll((process, until) -> Math.min(until, endOf(PermitStore.LONGEST_PLACE)));
    }

    /** Gives free permits to the first in the queue. Each waiter goes by the limit that it declared itself. */
    private void serveQueue() {
        for (int i = 0; i < SERVED_AT_ONCE && !queue.isEmpty() && gracePeriodEnd == 0; i++) {
            Permit first = queue.first();
            if (!isLive(first)) {
                queue.remove(first);
            } else if (holders.weight() >= limit(first.terms().limit())) {
                return;
            } else if (isTooHeavy(first)) {
                queue.remove(first);
                addMessage(first.process(), new Notice.PermitFree(first.id()));
            } else if (holders.weight() + first.weight() <= limit(first.terms().limit())) {
                i += first.weight() - 1;
                remove(first.id());
                long end = endOf(HandOver.firstLease(first.terms().lease()));
                long token = hold(first.terms(), first.id(), first.process(), end);
                addMessage(first.process(), new Notice.HandedOver(first.id(), new HandOver(token, end)));
            } else {
                return;
            }
        }
    }

    /**
     * Notifies as many waiters on standby as there are free permits, less those that were notified already, each once and in
     * their turn. A waiter whose limit is reached, or that weighs more than is free, is passed over.
     */
    private void wake() {
        if (restricted || standby.isEmpty() && notified.isEmpty()) {
            return;
        }
        sortOutNotified();
        List<Permit> passedOver = List.of();
        for (int i = 0; i < NOTIFIED_AT_ONCE && !standby.isEmpty() && queueIsEmpty(); i++) {
            Permit next = standby.first();
            boolean isLive = isLive(next);
            boolean isAnyFree = isFree(1, next.terms().limit());
            boolean isNotified = isLive && isFree(next.weight(), next.terms().limit());
            boolean isRefused = isLive && isAnyFree && isTooHeavy(next);
            if (isLive && !isNotified && !isRefused) {
                if (!isAnyFree
                        && (resizedTo.isPresent()
                                || declaredLimits.stream().noneMatch(declared -> isFree(1, declared.limit())))) {
                    break;
                }
                passedOver = passedOver.isEmpty() ? new ArrayList<>() : passedOver;
                passedOver.add(next);
            }
            standby.remove(next);
            if (isNotified) {
                notified.add(next, micros + NOTIFIED_MICROS);
            }
            if (isNotified || isRefused) {
                addMessage(next.process(), new Notice.PermitFree(next.id()));
            }
        }
        passedOver.forEach(waiter -> standby.add(waiter, waiter.score()));
    }

    /** Those who have been notified have their turn in the future, also after the clock was set back. */
    private void sortOutNotified() {
        while (!notified.isEmpty() && notified.first().score() <= micros) {
            Permit lapsed = notified.first();
            notified.remove(lapsed);
            standby.add(lapsed, lapsed.score());
        }
        if (standby.greatestScore() > micros) {
            for (Permit waiter : standby.inOrder(Integer.MAX_VALUE, micros)) {
                standby.remove(waiter);
                notified.add(waiter, waiter.score());
            }
        }
    }

    /** Whether so much is free under this limit, less one permit for each waiter that was notified of one. */
    private boolean isFree(int weight, int declared) {
        return holders.weight() + notified.size() + weight <= limit(declared);
    }

    /**
     * Whether a waiter can never be served, as the limit has become smaller. It is notified as if a permit were free, and its
     * next request is rejected.
     */
    private boolean isTooHeavy(Permit waiter) {
        return waiter.weight() > limit(waiter.terms().limit());
    }

    // ---- details

    private int limit(int declared) {
        return resizedTo.isPresent() ? resizedTo.getAsInt() : declared;
    }

    private int waiting() {
        return queue.size() + standby.size() + notified.size();
    }

    /** The waiter with this id; null if it is unknown, or only its id is known. */
    private Permit waiter(String permitId) {
        Permit waiter = queue.get(permitId);
        waiter = waiter == null ? standby.get(permitId) : waiter;
        waiter = waiter == null ? notified.get(permitId) : waiter;
        return waiter == null || !waiter.isKnown() ? null : waiter;
    }

    private boolean isLive(Permit waiter) {
        return waiter.isKnown() && alive.getOrDefault(waiter.process(), 0L) > now;
    }

    private void keepAlive(String process, Duration place) {
        alive.merge(process, endOf(place), Math::max);
        noteTheTime();
    }

    private boolean queueIsEmpty() {
        return queue.isEmpty() && gracePeriodEnd == 0;
    }

    /** When to poll if no message arrives: when a lease or the grace period ends. */
    private Duration nearestEnd() {
        Permit nearest = holders.first();
        if (nearest != null && nearest.score() <= now) {
            List<Permit> live = holders.inOrder(1, now);
            nearest = live.isEmpty() ? null : live.get(0);
        }
        long end = Math.min(nearest == null ? Long.MAX_VALUE : nearest.score(),
                gracePeriodEnd == 0 ? Long.MAX_VALUE : gracePeriodEnd);
        return end == Long.MAX_VALUE ? Duration.ZERO : Duration.ofMillis(Math.max(1, end - from));
    }

    /** The next ticket. It never falls behind the clock, so tickets grow even after the last one was forgotten. */
    private long nextTicket() {
        lastTicket = Math.max(lastTicket + 1, micros);
        return lastTicket;
    }

    /** Lets a clock that is set back later be noticed. The next ticket is what it would be without. */
    private void noteTheTime() {
        lastTicket = Math.max(lastTicket, micros - 1);
    }

    /** When something ends that starts now. Parts of a millisecond count as one. */
    private long endOf(Duration duration) {
        if (duration.isNegative()) {
            return now;
        }
        Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
        return from + bounded.toSeconds() * 1_000 + (bounded.getNano() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    }

    @Override
    public String toString() {
        return "Bulkhead " + id + " at " + now + ": " + Objects.toString(contents());
    }
}
