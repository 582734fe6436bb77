package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * What is to be sent over one connection, first come, first served. Calls of a group gather here while a command of the
 * group is on its way (smart batching). On the context of the {@link RedisLink}.
 */
final class Outbox {

    /** How much goes in one command at the most, so that it does not keep Redis from others for long. */
    static final int MOST_TOGETHER = 128;

    private final Queue<Line> ready = new ArrayDeque<>();
    private final Map<Object, Line> lines = new HashMap<>();

    /** The calls of one group, or one call that has none. */
    private static final class Line {

        private final Object group;
        private final Queue<PendingCall<?>> calls = new ArrayDeque<>(4);
        private boolean onItsWay;
        private boolean ready;

        private Line(Object group) {
            this.group = group;
        }

        private List<PendingCall<?>> take() {
            List<PendingCall<?>> taken = new ArrayList<>(Math.min(calls.size(), MOST_TOGETHER));
            int room = MOST_TOGETHER;
            while (!calls.isEmpty() && (taken.isEmpty() || calls.peek().size() <= room)) {
                PendingCall<?> call = calls.poll();
                if (!call.answer.isDone()) {
                    taken.add(call);
                    room -= call.size();
                }
            }
            return taken;
        }
    }

    void add(PendingCall<?> call) {
        Object group = call.group();
        Line line = group == null ? new Line(null) : lines.computeIfAbsent(group, Line::new);
        line.calls.add(call);
        makeReady(line);
    }

    private void makeReady(Line line) {
        if (!line.onItsWay && !line.ready) {
            line.ready = true;
            ready.add(line);
        }
    }

    /** Takes what is to be sent next; null when there is nothing, or all of it waits for a command of its group. */
    Shipment next() {
        for (Line line = ready.poll(); line != null; line = ready.poll()) {
            line.ready = false;
            List<PendingCall<?>> calls = line.take();
            if (!calls.isEmpty()) {
                line.onItsWay = true;
                return new Shipment(line.group, calls);
            }
            lines.remove(line.group);
        }
        return null;
    }

    /** The command with these calls is not on its way any more. */
    void isBack(Shipment shipment) {
        Line line = lines.get(shipment.group());
        if (line != null) {
            line.onItsWay = false;
            if (line.calls.isEmpty()) {
                lines.remove(line.group);
            } else {
                makeReady(line);
            }
        }
    }

    /** Takes all that was not sent, in the order of coming as far as it matters: within each group. */
    List<PendingCall<?>> clear() {
        List<PendingCall<?>> unsent = new ArrayList<>();
        ready.stream().filter(line -> line.group == null).forEach(line -> unsent.addAll(line.calls));
        lines.values().forEach(line -> unsent.addAll(line.calls));
        ready.clear();
        lines.clear();
        return unsent;
    }
}
