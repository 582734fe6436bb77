package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/**
 * The times to live of a bulkhead's keys. They only ever grow, because a caller with a short lease must not end the keys
 * under one with a long lease; except where an operator undoes what kept a key alive.
 */
final class Lifetimes {

    /**
     * Whose details are those of the dead is told by leases and places, so none of these keys is gone before the details are.
     */
    private static final Set<Part> NO_SHORTER_THAN_DETAILS = Set.of(Part.HOLDERS, Part.QUEUE, Part.WAITERS, Part.STANDBY);

    private final Map<Part, Long> read = new EnumMap<>(Part.class);
    private final Map<Part, Long> needed = new EnumMap<>(Part.class);
    private final Map<Part, Long> cut = new EnumMap<>(Part.class);
    private final long slack;

    /**
     * @param slack how long keys outlive what they hold
     */
    Lifetimes(Duration slack) {
        this.slack = slack.toMillis();
    }

    /** Adds what was read: milliseconds, or a negative number when there is no such key. */
    void know(Part key, long left) {
        read.put(key, Math.max(0, left));
    }

    /** The key shall live for so long, and a little longer. */
    void keep(Part key, Duration time) {
        needed.merge(key, time.toMillis() + slack, Math::max);
    }

    /** The key shall live for so long and no longer, unless it is kept after this. */
    void cut(Part key, Duration time) {
        cut.put(key, time.toMillis());
        needed.remove(key);
    }

    /**
     * The commands that bring this about, to be carried out after the changes of the keys. One that was written to may have
     * been emptied before, and has no time to live then.
     */
    List<Request> changes(BulkheadKeys keys, Set<Part> written) {
        List<Request> commands = new ArrayList<>();
        for (Part key : Part.values()) {
            long left = read.getOrDefault(key, 0L);
            long target = target(key);
            if (NO_SHORTER_THAN_DETAILS.contains(key) && (left > 0 || written.contains(key))) {
                target = Math.max(target, target(Part.DETAILS));
            }
            if (target != left || written.contains(key)) {
                commands.add(Request.cmd(Command.PEXPIRE).arg(keys.of(key)).arg(target));
            }
        }
        return commands;
    }

    private long target(Part key) {
        return Math.max(cut.getOrDefault(key, read.getOrDefault(key, 0L)), needed.getOrDefault(key, 0L));
    }
}
