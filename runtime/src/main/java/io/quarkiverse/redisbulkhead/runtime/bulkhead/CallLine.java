package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
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
        // 0 until it is stated for the first time.
        private long number;
        // 0 until the store has given one.
        private long ticket;
        private int count;
        private PendingCall first;
        private PendingCall last;
        private Group before;
        private Group after;

        private Group(CallLine line, int weight) {
            this.line = line;
            this.weight = weight;
        }

        long ticket() {
            return ticket;
        }

        boolean isIn(CallLine one) {
            return line == one;
        }

        private boolean takes(PendingCall call) {
            return number == 0 && weight == call.weight();
        }
    }

    private Group first;
    private Group last;
    // The groups with tickets come first.
    private Group firstWithoutTicket;
    // Whether a call came since the needs were last stated.
    private boolean added;

    void add(PendingCall call) {
        added = true;
        Group group = last;
        if (group == null || !group.takes(call)) {
            group = new Group(this, call.weight());
            group.before = last;
            if (last == null) {
                first = group;
            } else {
                last.after = group;
            }
            last = group;
            if (firstWithoutTicket == null) {
                firstWithoutTicket = group;
            }
        }
        call.before = group.last;
        if (group.last == null) {
            group.first = call;
        } else {
            group.last.after = call;
        }
        group.last = call;
        group.count++;
        call.group = group;
    }

    /** Whether the store may know of the call. */
    boolean removeAndWasStated(PendingCall call) {
        Group group = call.group;
        if (call.before == null) {
            group.first = call.after;
        } else {
            call.before.after = call.after;
        }
        if (call.after == null) {
            group.last = call.before;
        } else {
            call.after.before = call.before;
        }
        call.before = null;
        call.after = null;
        call.group = null;
        if (--group.count == 0) {
            unlink(group);
        }
        return group.number != 0;
    }

    private void unlink(Group group) {
        if (group.before == null) {
            first = group.after;
        } else {
            group.before.after = group.after;
        }
        if (group.after == null) {
            last = group.before;
        } else {
            group.after.before = group.before;
        }
        if (firstWithoutTicket == group) {
            firstWithoutTicket = group.after;
        }
    }

    /** The first call; null if the line is empty. */
    PendingCall head() {
        return first == null ? null : first.first;
    }

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        int calls = 0;
        for (Group group = first; group != null; group = group.after) {
            calls += group.count;
        }
        return calls;
    }

    /**
     * Whether a statement now would say something new. Groups behind one that waits for its ticket follow when it has got it;
     * but a call that has just come learns from the next statement whether the store is away.
     */
    boolean hasUnstated() {
        return first != null && (added || firstWithoutTicket != null && firstWithoutTicket.number == 0);
    }

    /**
     * The needs as a statement has them: the groups with tickets, of which those far behind may be left out, because the store
     * serves the first ones first, and one group without a ticket.
     *
     * @param nextNumber the number of a group that is stated for the first time
     */
    List<Need> needs(long nextNumber) {
        added = false;
        List<Need> needs = new ArrayList<>();
        for (Group group = first; group != firstWithoutTicket && needs.size() < Statement.MAX_NEEDS - 1; group = group.after) {
            needs.add(new Need(group.ticket, group.number, group.weight, group.count));
        }
        Group fresh = firstWithoutTicket;
        if (fresh != null) {
            fresh.number = fresh.number == 0 ? nextNumber : fresh.number;
            needs.add(new Need(0, fresh.number, fresh.weight, fresh.count));
        }
        return needs;
    }

    /** The needs of calls that get no tickets. */
    List<Need> needsWithoutPlaces() {
        added = false;
        List<Need> needs = new ArrayList<>();
        for (Group group = first; group != null && needs.size() < Statement.MAX_NEEDS; group = group.after) {
            group.number = 1;
            needs.add(new Need(0, 0, group.weight, group.count));
        }
        return needs;
    }

    /** The store has given the group that was stated without a ticket its place. */
    List<PendingCall> placed(long groupNumber, long ticket) {
        Group group = firstWithoutTicket;
        if (group == null || group.number != groupNumber) {
            // All of its calls have got permits or gave up.
            return List.of();
        }
        group.ticket = ticket;
        firstWithoutTicket = group.after;
        return callsOf(group);
    }

    /** Calls of other weights, behind the group whose place comes next. */
    List<PendingCall> withoutTickets() {
        List<PendingCall> calls = new ArrayList<>();
        for (Group group = firstWithoutTicket; group != null; group = group.after) {
            calls.addAll(callsOf(group));
        }
        return calls;
    }

    private static List<PendingCall> callsOf(Group group) {
        List<PendingCall> calls = new ArrayList<>(group.count);
        for (PendingCall call = group.first; call != null; call = call.after) {
            calls.add(call);
        }
        return calls;
    }

    /** The calls that were stated, or all. */
    List<PendingCall> calls(boolean statedOnly) {
        List<PendingCall> calls = new ArrayList<>();
        for (Group group = first; group != null && (!statedOnly || group.number != 0); group = group.after) {
            calls.addAll(callsOf(group));
        }
        return calls;
    }

    /** The calls that weigh more than that. */
    List<PendingCall> heavierThan(int weight) {
        List<PendingCall> calls = new ArrayList<>();
        for (Group group = first; group != null; group = group.after) {
            if (group.weight > weight) {
                calls.addAll(callsOf(group));
            }
        }
        return calls;
    }
}
