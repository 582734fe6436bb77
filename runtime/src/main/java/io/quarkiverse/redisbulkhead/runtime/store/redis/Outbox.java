package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * The calls to send over one connection, in order. While a command of a group is in flight, later calls of that group gather
 * and share the next command (smart batching). They do not wait for a command that
 *
 * <ul>
 * <li>is followed by enough calls to fill another one, or</li>
 * <li>has only calls that nobody waits for, such as releases: an acquire goes right behind a release.</li>
 * </ul>
 *
 * The calls of a group are answered in the order in which they came. A command that overtakes an earlier one of its group,
 * because Redis refused that one for the moment, is sent again behind it.
 * <p>
 * Runs on the context of the {@link RedisConnectionManager}.
 */
final class Outbox {

    /** Limits the size of a command, so that it does not keep Redis busy for long. A single call may be larger. */
    static final int MOST_TOGETHER = 128;

    /** Limits the commands of a group in flight, so that one group does not keep others from the connection. */
    static final int MOST_ON_THEIR_WAY = 8;

    private final Queue<Group> ready = new ArrayDeque<>();
    private final Map<Object, Group> groups = new HashMap<>();

    /** The calls of one group, or a single call without a group. */
    private static final class Group {

        private final Object id;
        private final Deque<PendingCall<?>> calls = new ArrayDeque<>(4);
        // Unanswered commands, the oldest first. Those that are not in flight any more go again.
        private final Deque<Shipment> sent = new ArrayDeque<>(2);
        private int inFlight;
        // The size of the calls, and how many of them somebody waits for.
        private int gathered;
        private int awaited;
        private boolean paused;
        private boolean ready;

        private Group(Object id) {
            this.id = id;
        }

        private void count(PendingCall<?> call, int sign) {
            gathered += sign * call.size();
            awaited += call.isAwaited() ? sign : 0;
        }

        private List<PendingCall<?>> take() {
            List<PendingCall<?>> taken = new ArrayList<>(Math.min(calls.size(), MOST_TOGETHER));
            int room = MOST_TOGETHER;
            while (!calls.isEmpty() && (taken.isEmpty() || calls.peek().size() <= room)) {
                PendingCall<?> call = calls.poll();
                count(call, -1);
                if (!call.answer.isDone()) {
                    taken.add(call);
                    room -= call.size();
                }
            }
            return taken;
        }

        private boolean maySend() {
            if (sent.isEmpty()) {
                return !paused;
            }
            return !paused && inFlight == sent.size() && inFlight < MOST_ON_THEIR_WAY
                    && (gathered >= MOST_TOGETHER || awaited > 0 && sent.stream().noneMatch(Shipment::isAwaited));
        }

        // Only when no copy is in flight, so that a late reply cannot be out of order again.
        private void takeBackWhatGoesAgain() {
            while (!paused && inFlight == 0 && !sent.isEmpty()) {
                List<PendingCall<?>> again = sent.pollLast().calls();
                for (int i = again.size() - 1; i >= 0; i--) {
                    calls.addFirst(again.get(i));
                    count(again.get(i), 1);
                }
            }
        }
    }

    void add(PendingCall<?> call) {
        Object id = call.group();
        Group group = id == null ? new Group(null) : groups.computeIfAbsent(id, Group::new);
        group.calls.add(call);
        group.count(call, 1);
        sendIfMay(group);
    }

    private void sendIfMay(Group group) {
        if (!group.ready && !group.calls.isEmpty() && group.maySend()) {
            group.ready = true;
            ready.add(group);
        }
    }

    /** Takes what is to be sent next; null when nothing may be sent now. */
    Shipment next() {
        for (Group group = ready.poll(); group != null; group = ready.poll()) {
            group.ready = false;
            List<PendingCall<?>> calls = group.take();
            if (!calls.isEmpty()) {
                Shipment shipment = new Shipment(group.id, calls);
                group.sent.add(shipment);
                group.inFlight++;
                sendIfMay(group);
                return shipment;
            }
            forgetIfIdle(group);
        }
        return null;
    }

    /** Whether all earlier commands of its group have been answered. */
    boolean isInOrder(Shipment shipment) {
        Group group = groups.get(shipment.group());
        return group == null || group.sent.peek() == shipment || !group.sent.contains(shipment);
    }

    /** The command has been answered; it was in order. */
    void isBack(Shipment shipment) {
        Group group = groups.get(shipment.group());
        if (group != null && group.sent.remove(shipment)) {
            group.inFlight--;
            goOn(group);
        }
    }

    /** The command is not in flight any more, and its calls are to be sent again, behind earlier ones of the group. */
    void repeat(Shipment shipment) {
        Group group = groups.get(shipment.group());
        group.inFlight--;
        goOn(group);
    }

    /**
     * As {@link #repeat}, and the whole group waits until {@link #resume}.
     *
     * @return whether the group was not waiting yet
     */
    boolean pause(Shipment shipment) {
        Group group = groups.get(shipment.group());
        boolean first = !group.paused;
        group.paused = true;
        group.inFlight--;
        return first;
    }

    /** Ends a pause. Has no effect when the group was cleared meanwhile. */
    void resume(Object id) {
        Group group = groups.get(id);
        if (group != null) {
            group.paused = false;
            goOn(group);
        }
    }

    private void goOn(Group group) {
        group.takeBackWhatGoesAgain();
        sendIfMay(group);
        forgetIfIdle(group);
    }

    private void forgetIfIdle(Group group) {
        if (!group.paused && group.sent.isEmpty() && group.calls.isEmpty()) {
            groups.remove(group.id);
        }
    }

    /** Whether nothing may be sent now. */
    boolean isEmpty() {
        return ready.isEmpty();
    }

    /** How many groups have calls that are not sent or not answered. */
    int groups() {
        return groups.size();
    }

    /**
     * Removes all calls that were not sent, and those of groups that were not answered.
     *
     * @return in the order in which they came, within each group
     */
    List<PendingCall<?>> clear() {
        List<PendingCall<?>> all = new ArrayList<>();
        ready.stream().filter(group -> group.id == null).forEach(group -> all.addAll(group.calls));
        groups.values().forEach(group -> {
            group.sent.forEach(shipment -> all.addAll(shipment.calls()));
            all.addAll(group.calls);
        });
        ready.clear();
        groups.clear();
        return all;
    }
}
