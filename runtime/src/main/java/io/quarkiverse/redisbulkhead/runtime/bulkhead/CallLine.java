package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;

/**
 * Calls in their order, in groups of equal weight, which is how the store knows them. A group that was stated takes no more
 * calls: the store gives the group its ticket, and a later call must not get an earlier place. Guarded by the bulkhead.
 */
final class CallLine {

    /** Calls of equal weight that follow each other. */
    static final class Group {

        private final CallLine line;
        private final int weight;
        // Most groups have one call.
        private final Deque<PendingCall> calls = new ArrayDeque<>(1);
        // 0 until it is stated for the first time.
        private long number;
        // 0 until the store has given one.
        private long ticket;

        private Group(CallLine line, int weight) {
            this.line = line;
            this.weight = weight;
        }

        long ticket() {
            return ticket;
        }

        /** Whether the store may know of its calls. */
        boolean wasStated() {
            return number != 0;
        }

        /** Whether the store may know of the call. */
        boolean removeAndWasStated(PendingCall call) {
            return line.removeAndWasStated(call);
        }
    }

    // The groups with tickets come first. Small, because each key in use has three lines, which are mostly empty.
    private final Deque<Group> placed = new ArrayDeque<>(1);
    private final Deque<Group> withoutTicket = new ArrayDeque<>(1);
    // Takes the next call if it has the same weight. Null after a group is empty.
    private Group last;
    private int size;
    // Whether calls came since the needs were last stated, or those behind the ones that were stated are next.
    private boolean added;
    // The first group that the last statement had no room for; null for none.
    private Group leftOut;

    void add(PendingCall call) {
        added = true;
        if (last == null || last.number != 0 || last.weight != call.weight()) {
            last = new Group(this, call.weight());
            withoutTicket.add(last);
        }
        last.calls.add(call);
        call.group = last;
        size++;
    }

    private boolean removeAndWasStated(PendingCall call) {
        Group group = call.group;
        call.group = null;
        size--;
        remove(call, group.calls);
        if (group.calls.isEmpty()) {
            remove(group, group.ticket == 0 ? withoutTicket : placed);
            added |= leftOut != null && placed.peek() == leftOut;
            last = group == last ? null : last;
        }
        return group.wasStated();
    }

    // Most leave from the head: served, or because their time is over.
    private static <T> void remove(T one, Deque<T> all) {
        if (all.peek() == one) {
            all.poll();
        } else {
            all.remove(one);
        }
    }

    /** The first call; null if the line is empty. */
    PendingCall head() {
        return size == 0 ? null : (placed.isEmpty() ? withoutTicket : placed).peek().calls.peek();
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /**
     * Whether a statement now would say something new. Groups behind one that waits for its ticket follow when it has got it;
     * but a call that has just come learns from the next statement whether the store is away.
     */
    boolean hasUnstated() {
        return size > 0 && (added || !withoutTicket.isEmpty() && withoutTicket.peek().number == 0);
    }

    /**
     * The needs as a statement has them: the groups with tickets, and one without. Those far behind may be left out; the first
     * of them holds the place of all, so that no later call of another instance is served before they are stated.
     *
     * @param nextNumber the number of a group that is stated for the first time
     */
    List<Need> needs(long nextNumber) {
        added = false;
        leftOut = null;
        List<Need> needs = new ArrayList<>();
        for (Group group : placed) {
            if (needs.size() == Statement.MAX_PLACED) {
                leftOut = group;
                needs.add(new Need(group.ticket, group.number, group.weight, 0));
                break;
            }
            needs.add(new Need(group.ticket, group.number, group.weight, group.calls.size()));
        }
        Group fresh = withoutTicket.peek();
        if (fresh != null) {
            fresh.number = fresh.number == 0 ? nextNumber : fresh.number;
            needs.add(new Need(0, fresh.number, fresh.weight, fresh.calls.size()));
        }
        return needs;
    }

    /** The needs of calls that get no tickets. */
    List<Need> needsWithoutPlaces() {
        added = false;
        List<Need> needs = new ArrayList<>();
        for (Group group : withoutTicket) {
            if (needs.size() < Statement.MAX_NEEDS) {
                group.number = 1;
                needs.add(new Need(0, 0, group.weight, group.calls.size()));
            }
        }
        return needs;
    }

    /** The store has given the group that was stated without a ticket its place. */
    List<PendingCall> placed(long groupNumber, long ticket) {
        Group group = withoutTicket.peek();
        if (group == null || group.number != groupNumber) {
            // All of its calls have got permits or gave up.
            return List.of();
        }
        group.ticket = ticket;
        withoutTicket.remove(group);
        placed.add(group);
        return List.copyOf(group.calls);
    }

    /** Calls of other weights, behind the group whose place comes next. */
    List<PendingCall> withoutTickets() {
        List<PendingCall> calls = new ArrayList<>();
        withoutTicket.forEach(group -> calls.addAll(group.calls));
        return calls;
    }

    List<PendingCall> all() {
        return heavierThan(0);
    }

    List<PendingCall> heavierThan(int weight) {
        List<PendingCall> calls = new ArrayList<>();
        for (Deque<Group> groups : List.of(placed, withoutTicket)) {
            for (Group group : groups) {
                if (group.weight > weight) {
                    calls.addAll(group.calls);
                }
            }
        }
        return calls;
    }
}
