package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * What is to be sent over one connection, first come, first served. Calls of a group gather here while a command of the
 * group is on its way (smart batching); when they fill a command, there is nothing to wait for, and it goes behind the other.
 * On the context of the {@link RedisConnectionManager}.
 */
final class Outbox {

    /**
     * How much goes in one command at the most, so that it does not keep Redis from others for long. No call is larger by
     * itself.
     */
    static final int MOST_TOGETHER = 128;

    /** How many commands of a group may be on their way, so that one group does not keep others from the connection. */
    static final int MOST_ON_THEIR_WAY = 8;

    private final Queue<Group> ready = new ArrayDeque<>();
    private final Map<Object, Group> groups = new HashMap<>();

    /** The calls of one group, or one call that has none. */
    private static final class Group {

        private final Object id;
        private final Deque<PendingCall<?>> calls = new ArrayDeque<>(4);
        // How much the calls take of a command.
        private int gathered;
        private int onTheirWay;
        // Null unless the group is on hold: the calls that are to go first then.
        private List<PendingCall<?>> held;
        private boolean ready;

        private Group(Object id) {
            this.id = id;
        }

        private List<PendingCall<?>> take() {
            List<PendingCall<?>> taken = new ArrayList<>(Math.min(calls.size(), MOST_TOGETHER));
            int room = MOST_TOGETHER;
            while (!calls.isEmpty() && (taken.isEmpty() || calls.peek().size() <= room)) {
                PendingCall<?> call = calls.poll();
                gathered -= call.size();
                if (!call.answer.isDone()) {
                    taken.add(call);
                    room -= call.size();
                }
            }
            return taken;
        }

        private boolean maySend() {
            return held == null && (onTheirWay == 0 || gathered >= MOST_TOGETHER && onTheirWay < MOST_ON_THEIR_WAY);
        }
    }

    void add(PendingCall<?> call) {
        Object id = call.group();
        Group group = id == null ? new Group(null) : groups.computeIfAbsent(id, Group::new);
        group.calls.add(call);
        group.gathered += call.size();
        sendIfMay(group);
    }

    private void sendIfMay(Group group) {
        if (!group.ready && !group.calls.isEmpty() && group.maySend()) {
            group.ready = true;
            ready.add(group);
        }
    }

    /** Takes what is to be sent next; null when there is nothing, or all of it waits for a command of its group. */
    Shipment next() {
        for (Group group = ready.poll(); group != null; group = ready.poll()) {
            group.ready = false;
            List<PendingCall<?>> calls = group.take();
            if (!calls.isEmpty()) {
                group.onTheirWay++;
                sendIfMay(group);
                return new Shipment(group.id, calls);
            }
            forgetIfIdle(group);
        }
        return null;
    }

    /** The command with these calls is not on its way any more. */
    void isBack(Shipment shipment) {
        Group group = groups.get(shipment.group());
        if (group != null) {
            group.onTheirWay--;
            sendIfMay(group);
            forgetIfIdle(group);
        }
    }

    /**
     * The calls are to go again, before all others of their group, which waits until then.
     *
     * @return whether the group was not on hold yet; then {@link #resume} is to be called later
     */
    boolean hold(Shipment shipment) {
        Group group = groups.get(shipment.group());
        boolean first = group.held == null;
        if (first) {
            group.held = new ArrayList<>();
        }
        group.held.addAll(shipment.calls());
        group.onTheirWay--;
        return first;
    }

    /** The group of the calls may go on. */
    void resume(Shipment shipment) {
        Group group = groups.get(shipment.group());
        List<PendingCall<?>> first = group.held;
        group.held = null;
        for (int i = first.size() - 1; i >= 0; i--) {
            group.calls.addFirst(first.get(i));
            group.gathered += first.get(i).size();
        }
        sendIfMay(group);
        forgetIfIdle(group);
    }

    private void forgetIfIdle(Group group) {
        if (group.held == null && group.onTheirWay == 0 && group.calls.isEmpty()) {
            groups.remove(group.id);
        }
    }

    /** Whether nothing may be sent now. */
    boolean isEmpty() {
        return ready.isEmpty();
    }

    /** How many groups have something to send, or on its way. */
    int groups() {
        return groups.size();
    }

    /** Takes all that was not sent, in the order of coming as far as it matters: within each group. */
    List<PendingCall<?>> clear() {
        List<PendingCall<?>> unsent = new ArrayList<>();
        ready.stream().filter(group -> group.id == null).forEach(group -> unsent.addAll(group.calls));
        groups.values().forEach(group -> {
            if (group.held != null) {
                unsent.addAll(group.held);
            }
            unsent.addAll(group.calls);
        });
        ready.clear();
        groups.clear();
        return unsent;
    }
}
