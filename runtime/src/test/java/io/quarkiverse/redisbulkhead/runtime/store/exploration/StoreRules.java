package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.ScriptedStore.Outcome;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;

/** Rules for each operation, independent of the clients. The numbers are those of the guarantees. */
final class StoreRules {

    static final String LIMIT = "1: more permits are held than the limit";
    static final String PARTS = "1: a permit uses less or more than its weight";
    static final String CUT = "2: a permit lasts longer than a lease after the clock went back";
    static final String OWNERSHIP = "4: a permit or place of another client was removed or changed";
    static final String REVIVED = "4: a renewal restored or shortened a permit";
    static final String OVERTAKEN = "5: a permit was granted although an earlier waiter is in the queue";
    static final String SERVED_DEAD = "5: a permit was granted to a dead waiter";
    static final String SERVED_TOO_SOON = "5: a permit was granted before the grace period after a data loss ended";
    static final String ORDER_LOST = "5: a waiter that returned with its old ticket has another place";
    static final String NOT_HANDED_OVER = "5: a permit is free while a waiter is in the queue";
    static final String TOKENS = "7: a token does not increase";
    static final String EXPIRY = "9: a key does not expire";

    private final Setting setting;

    StoreRules(Setting setting) {
        this.setting = setting;
    }

    /** The rules that the outcome of a request breaks. */
    List<String> broken(World world, Request request, Outcome outcome) {
        List<String> broken = new ArrayList<>();
        BulkheadView before = new BulkheadView(world.store);
        BulkheadView after = new BulkheadView(outcome.store());
        Set<String> granted = new TreeSet<>(after.holders().keySet());
        granted.removeAll(before.holders().keySet());
        granted.removeIf(BulkheadView::isReleased);
        if (after.inUse() > setting.limit()) {
            broken.add(LIMIT);
        }
        if (!after.permitsAreWhole()) {
            broken.add(PARTS);
        }
        checkOthers(request, outcome.reply().what() == Reply.What.GRANTED, before, after, broken);
        if (request.operation() == Operation.ATTACH) {
            checkAttached(world, request, outcome, before, broken);
            granted.remove(request.id());
        }
        checkGranted(world, request, outcome, granted, broken);
        checkReturning(world, request, outcome, granted, broken);
        if (request.operation() != Operation.RENEW && !isRefused(outcome) && !after.isGracePeriod()
                && after.firstInQueue().filter(id -> after.inUse() + Weights.of(id) <= setting.limit()).isPresent()) {
            broken.add(NOT_HANDED_OVER);
        }
        if (request.operation() != Operation.RENEW && !isRefused(outcome)
                && after.holders().values().stream().anyMatch(left -> left > setting.lease())) {
            broken.add(CUT);
        }
        checkExpiry(outcome.store(), broken);
        return broken;
    }

    private static boolean isRefused(Outcome outcome) {
        return outcome.reply().what() == Reply.What.CANCELLED;
    }

    private void checkOthers(Request request, boolean outcomeIsGranted, BulkheadView before, BulkheadView after,
            List<String> broken) {
        Map<String, Long> heldByOthers = new TreeMap<>(before.holders());
        heldByOthers.remove(request.id());
        if (request.operation() == Operation.ATTACH && outcomeIsGranted) {
            heldByOthers.remove(detached(request));
        }
        // After the clock goes back, leases of others are cut to a full lease.
        heldByOthers.replaceAll((id, left) -> after.holders().getOrDefault(id, 0L) == setting.lease() && left > setting.lease()
                ? Long.valueOf(setting.lease())
                : left);
        Set<String> waitingOthers = new TreeSet<>(before.waiters().keySet());
        waitingOthers.remove(request.id());
        waitingOthers.removeAll(after.waiters().keySet());
        waitingOthers.removeAll(after.holders().keySet());
        if (!after.holders().entrySet().containsAll(heldByOthers.entrySet()) || !waitingOthers.isEmpty()) {
            broken.add(OWNERSHIP);
        }
        if (request.operation() == Operation.RENEW
                && after.holders().getOrDefault(request.id(), 0L) < before.holders().getOrDefault(request.id(), 0L)) {
            broken.add(REVIVED);
        }
    }

    /** The detached permit, which takes precedence over all waiters. */
    private static void checkAttached(World world, Request request, Outcome outcome, BulkheadView before, List<String> broken) {
        boolean isNew = outcome.reply().what() == Reply.What.GRANTED && !before.holders().containsKey(request.id());
        if (isNew && before.stateOf(detached(request)) != Holder.State.DETACHED) {
            broken.add(OWNERSHIP);
        }
        if (isNew && outcome.ticket() <= Math.max(world.lastGranted, before.lastTicket())) {
            broken.add(TOKENS);
        }
    }

    private static String detached(Request request) {
        return request.id().split(Behaviour.ATTACHES)[1];
    }

    private static void checkGranted(World world, Request request, Outcome outcome, Set<String> granted, List<String> broken) {
        BulkheadView after = new BulkheadView(outcome.store());
        if (request.operation() == Operation.RENEW && !granted.isEmpty()) {
            broken.add(REVIVED);
        }
        // Tokens are issued when a permit is granted.
        long last = Math.max(world.lastGranted, new BulkheadView(world.store).lastTicket());
        for (long ticket : granted.stream().map(after::ticketOf).sorted().toList()) {
            if (ticket <= last) {
                broken.add(TOKENS);
            }
            last = ticket;
        }
        boolean wasGranted = outcome.reply().what() == Reply.What.GRANTED;
        if (wasGranted && outcome.ticket() != after.ticketOf(request.id())) {
            broken.add(TOKENS);
        }
        // All remaining waiters came after those with new permits; a newcomer came after all waiters.
        Map<String, Long> before = new BulkheadView(world.store).queue();
        Map<String, Long> left = new TreeMap<>(after.queue());
        left.keySet().retainAll(before.keySet());
        if (granted.stream().mapToLong(id -> before.getOrDefault(id, placeOf(request, id)))
                .anyMatch(place -> left.values().stream().anyMatch(ticket -> ticket < place))) {
            broken.add(OVERTAKEN);
        }
        if (granted.stream().anyMatch(id -> !id.equals(request.id()) && !before.containsKey(id))) {
            broken.add(SERVED_DEAD);
        }
    }

    /** A newcomer queues behind all waiters, unless it returns with its old ticket. */
    private static long placeOf(Request request, String id) {
        return id.equals(request.id()) && request.ticket() > 0 ? request.ticket() : Long.MAX_VALUE;
    }

    private static void checkReturning(World world, Request request, Outcome outcome, Set<String> granted,
            List<String> broken) {
        BulkheadView before = new BulkheadView(world.store);
        BulkheadView after = new BulkheadView(outcome.store());
        boolean allLost = before.lastTicket() == 0 && before.scores(Part.QUEUE).isEmpty();
        if (!granted.isEmpty() && (before.isGracePeriod() || after.isGracePeriod() || allLost && request.ticket() > 0)) {
            broken.add(SERVED_TOO_SOON);
        }
        if (request.ticket() > 0 && outcome.reply().what() == Reply.What.WAITING
                && !before.waiters().containsKey(request.id())
                && after.queue().getOrDefault(request.id(), 0L) != request.ticket()) {
            broken.add(ORDER_LOST);
        }
    }

    private void checkExpiry(RedisModel store, List<String> broken) {
        for (String name : store.names()) {
            if (store.expiresAt(name) == RedisModel.NEVER) {
                broken.add(EXPIRY);
            }
        }
    }
}
