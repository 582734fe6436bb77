package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Cancelled;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;

/**
 * What a bulkhead does, written as plainly as possible: two lists that are gone through from end to end. It says
 * exactly what a store must answer, and within what bounds it is free.
 */
final class BulkheadModel {

    private static final long LIMITS_CERTAINLY_KEPT = 55_000;
    private static final long FIRST_LEASE = 2_000;
    private static final long GRACE_PERIOD = 1_250;
    private static final long LIMITS_KEPT = 60_000;
    private static final long LIMITS_REFRESHED = 5_000;

    /** A holder or a waiter. */
    private static final class Entry {

        final AcquireRequest request;
        final long ticket;
        final long since;
        long end;

        Entry(AcquireRequest request, long ticket, long since, long end) {
            this.request = request;
            this.ticket = ticket;
            this.since = since;
            this.end = end;
        }

        String id() {
            return request.permitId();
        }

        Holder holder() {
            return new Holder(id(), request.bulkhead().name(), request.bulkhead().key(), ticket,
                    request.application(), request.instance(),
                    request.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(end));
        }

        Waiter waiter() {
            return new Waiter(id(), request.bulkhead().name(), request.bulkhead().key(), ticket,
                    request.application(), request.instance(),
                    request.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(end));
        }
    }

    private record Stated(int limit, long at) {
    }

    /** What is to be told because of one step. */
    static final class Expected {

        final Map<String, HandOver> handedOver = new HashMap<>();
        final Set<String> revoked = new HashSet<>();

        /** Those that may be told that a permit is free, and how many of them must be, at least and at most. */
        final Set<String> mayBeToldFree = new HashSet<>();
        int leastToldFree;
        int mostToldFree;

        /** The limit that was stated, or 0; and the others that must and may be named. */
        int stated;
        boolean mustTellLimits;
        Set<Integer> certainOthers = Set.of();
        Set<Integer> possibleOthers = Set.of();
    }

    private final List<Entry> holders = new ArrayList<>();
    private final List<Entry> waiters = new ArrayList<>();
    private final Map<String, Long> cancelledUntil = new HashMap<>();
    private final List<Stated> stated = new ArrayList<>();

    /** The same without those that a store may have forgotten when nothing was held and nobody waited. */
    private final List<Stated> statedSinceIdle = new ArrayList<>();

    private OptionalInt resizedTo = OptionalInt.empty();
    private long lastTicket;
    private final boolean mayLoseData;
    private long gracePeriodEnd;
    private long now;
    private Expected expected = new Expected();

    BulkheadModel(long now, boolean mayLoseData) {
        this.mayLoseData = mayLoseData;
        this.now = now;
    }

    /** What was to be told since the last call. */
    Expected takeExpected() {
        Expected result = expected;
        expected = new Expected();
        forgetStatedLimitsWhenIdle();
        return result;
    }

    long now() {
        return now;
    }

    void advance(long millis) {
        now += millis;
    }

    AcquireReply acquire(AcquireRequest request) {
        if (cancelledUntil.getOrDefault(request.permitId(), 0L) > now) {
            return new Cancelled();
        }
        settle();
        state(request.limit());
        Entry holder = find(holders, request.permitId());
        if (holder != null) {
            holder.end = Math.max(holder.end, now + request.lease().toMillis());
            return new Granted(holder.ticket, false);
        }
        int limit = resizedTo.orElse(request.limit());
        Entry waiter = find(waiters, request.permitId());
        long old = request.fair() ? Math.min(request.ticket(), Math.max(lastTicket, now * 1_000)) : 0;
        if (mayLoseData && old > 0 && lastTicket == 0 && queue().isEmpty() && gracePeriodEnd <= now) {
            gracePeriodEnd = now + GRACE_PERIOD;
            lastTicket = now * 1_000 - 1;
        }
        boolean isNext = gracePeriodEnd <= now && queue().stream().allMatch(each -> old > 0 && each.ticket > old);
        if (isNext && holders.size() < limit) {
            waiters.remove(waiter);
            holders.add(new Entry(request, newTicket(), now, now + request.lease().toMillis()));
            return new Granted(lastTicket, false);
        }
        if (request.place().isZero()) {
            return new Full(limit, nearestLeaseEnd(), false);
        }
        long placeEnd = now + request.place().toMillis();
        if (waiter != null) {
            waiter.end = Math.max(waiter.end, placeEnd);
        } else {
            waiter = new Entry(request, !request.fair() ? 0 : old > 0 ? old : newTicket(), now, placeEnd);
            waiters.add(waiter);
            lastTicket = Math.max(lastTicket, Math.max(waiter.ticket, now * 1_000 - 1));
        }
        return new Waiting(limit, nearestLeaseEnd(), now, waiter.ticket, false);
    }

    boolean release(String id) {
        Removed removed = remove(id);
        settle();
        wake(removed.freed || removed.liveOpenWaiter ? 1 : 0, removed.freed || removed.openWaiter ? 1 : 0);
        return removed.freed;
    }

    void cancel(List<String> ids, long forgetAfter) {
        int freed = 0;
        boolean liveOpenWaiterLeft = false;
        boolean openWaiterLeft = false;
        for (String id : ids) {
            Removed removed = remove(id);
            freed += removed.freed ? 1 : 0;
            liveOpenWaiterLeft |= removed.liveOpenWaiter;
            openWaiterLeft |= removed.openWaiter;
            cancelledUntil.merge(id, now + forgetAfter, Math::max);
        }
        settle();
        wake(Math.max(freed, liveOpenWaiterLeft ? 1 : 0), Math.max(freed, openWaiterLeft ? 1 : 0));
    }

    Set<String> renew(Map<String, Long> leases) {
        Set<String> lost = new HashSet<>();
        leases.forEach((id, lease) -> {
            Entry holder = find(holders, id);
            if (holder != null && holder.end > now) {
                holder.end = Math.max(holder.end, now + lease);
            } else {
                lost.add(id);
            }
        });
        return lost;
    }

    PollReply poll(int limit, List<String> permitIds, long place) {
        permitIds.forEach(id -> {
            Entry waiter = find(waiters, id);
            if (waiter != null) {
                waiter.end = Math.max(waiter.end, now + place);
            }
        });
        settle();
        Map<String, HandOver> handedOver = new HashMap<>();
        Set<String> gone = new HashSet<>();
        for (String id : permitIds) {
            Entry holder = find(holders, id);
            if (holder != null) {
                handedOver.put(id, new HandOver(holder.ticket, holder.end));
            } else if (find(waiters, id) == null) {
                gone.add(id);
            }
        }
        int free = queue().isEmpty() && gracePeriodEnd <= now ? Math.max(0, resizedTo.orElse(limit) - holders.size()) : 0;
        return new PollReply(handedOver, gone, free, nearestLeaseEnd(), now);
    }

    boolean revoke(String id) {
        Entry holder = find(holders, id);
        boolean held = holder != null && holder.end > now;
        if (held) {
            holders.remove(holder);
            expected.revoked.add(id);
        }
        settle();
        if (held) {
            wake(1, 1);
        }
        return held;
    }

    void resize(int limit) {
        resizedTo = OptionalInt.of(limit);
        settle();
        wake(100, 100);
    }

    boolean resetSize() {
        boolean wasResized = resizedTo.isPresent();
        resizedTo = OptionalInt.empty();
        settle();
        wake(100, 100);
        return wasResized;
    }

    boolean isGracePeriod() {
        return gracePeriodEnd > now;
    }

    OptionalInt resizedTo() {
        return resizedTo;
    }

    /** The live holders, the one whose lease ends first coming first. */
    List<Holder> holders() {
        return holders.stream().filter(entry -> entry.end > now).map(Entry::holder)
                .sorted(Comparator.comparing(Holder::until)).toList();
    }

    /** The live fair waiters, in their order. */
    List<Waiter> fairWaiters() {
        return queue().stream().filter(entry -> entry.end > now).map(Entry::waiter).toList();
    }

    /** The other live waiters, the one that came first coming first. */
    List<Waiter> openWaiters() {
        return waiters.stream().filter(entry -> entry.end > now && !entry.request.fair()).map(Entry::waiter)
                .sorted(Comparator.comparing(Waiter::since)).toList();
    }

    Set<Integer> limitsThatMayBeListed() {
        return limitsAfter(stated, now - LIMITS_KEPT - 1);
    }

    Set<Integer> limitsThatMustBeListed() {
        return limitsAfter(statedSinceIdle, now - LIMITS_CERTAINLY_KEPT);
    }

    /** What a removal removed. A waiter may be dead, but not yet removed; then a store is free to count it or not. */
    private record Removed(boolean freed, boolean openWaiter, boolean liveOpenWaiter) {
    }

    private Removed remove(String id) {
        Entry holder = find(holders, id);
        Entry waiter = find(waiters, id);
        holders.remove(holder);
        waiters.remove(waiter);
        boolean open = waiter != null && !waiter.request.fair();
        return new Removed(holder != null && holder.end > now, open, open && waiter.end > now);
    }

    private void settle() {
        holders.removeIf(entry -> entry.end <= now);
        waiters.removeIf(entry -> entry.end <= now);
        while (gracePeriodEnd <= now && !queue().isEmpty() && holders.size() < limitFor(queue().get(0))) {
            Entry first = queue().get(0);
            waiters.remove(first);
            Entry holder = new Entry(first.request, newTicket(), now,
                    now + Math.min(FIRST_LEASE, first.request.lease().toMillis()));
            holders.add(holder);
            expected.handedOver.put(holder.id(), new HandOver(holder.ticket, holder.end));
        }
    }

    /** After settling, hence all waiters live. */
    private void wake(int least, int most) {
        if (!queue().isEmpty() || gracePeriodEnd > now) {
            return;
        }
        List<Entry> able = waiters.stream().filter(waiter -> limitFor(waiter) > holders.size()).toList();
        able.forEach(waiter -> expected.mayBeToldFree.add(waiter.id()));
        int free = able.stream().mapToInt(waiter -> limitFor(waiter) - holders.size()).max().orElse(0);
        expected.mostToldFree = Math.min(most, Math.min(free, able.size()));
        boolean sameForAll = waiters.stream().mapToInt(this::limitFor).distinct().count() <= 1;
        int certain = sameForAll ? Integer.MAX_VALUE : able.size() == waiters.size() ? 1 : 0;
        expected.leastToldFree = Math.min(Math.min(least, certain), expected.mostToldFree);
    }

    private void state(int limit) {
        expected.stated = limit;
        boolean statedJustNow = stated.stream().anyMatch(each -> each.limit == limit && each.at > now - LIMITS_REFRESHED);
        expected.possibleOthers = without(limitsThatMayBeListed(), limit);
        expected.certainOthers = without(limitsThatMustBeListed(), limit);
        expected.mustTellLimits = !statedJustNow && !expected.certainOthers.isEmpty();
        stated.add(new Stated(limit, now));
        statedSinceIdle.add(new Stated(limit, now));
    }

    private void forgetStatedLimitsWhenIdle() {
        if (holders().isEmpty() && fairWaiters().isEmpty() && openWaiters().isEmpty()) {
            statedSinceIdle.clear();
        }
    }

    private long newTicket() {
        lastTicket = Math.max(lastTicket + 1, now * 1_000);
        return lastTicket;
    }

    private int limitFor(Entry waiter) {
        return resizedTo.orElse(waiter.request.limit());
    }

    private List<Entry> queue() {
        return waiters.stream().filter(entry -> entry.request.fair())
                .sorted(Comparator.comparingLong((Entry entry) -> entry.ticket).thenComparing(Entry::id)).toList();
    }

    private Duration nearestLeaseEnd() {
        return Duration
                .ofMillis(LongStream.concat(holders.stream().mapToLong(entry -> entry.end), LongStream.of(gracePeriodEnd))
                        .map(end -> end - now).filter(left -> left > 0).min().orElse(0));
    }

    private static Entry find(List<Entry> entries, String id) {
        return entries.stream().filter(entry -> entry.id().equals(id)).findFirst().orElse(null);
    }

    private static Set<Integer> limitsAfter(List<Stated> statements, long time) {
        return statements.stream().filter(each -> each.at > time).map(Stated::limit)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<Integer> without(Set<Integer> limits, int limit) {
        return limits.stream().filter(each -> each != limit).collect(Collectors.toCollection(TreeSet::new));
    }
}
