package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadState;
import io.vertx.redis.client.Response;

/** The limit that an operator has set, and those that callers stated of late; and the changes that a step makes to them. */
final class LimitsHash {

    /** The field of the limit that an operator has set. Any other field is a limit; its value tells when it was stated. */
    static final String OVERRIDE = "override";

    private final Map<String, Long> fields = new TreeMap<>();
    private final Changes changes;

    LimitsHash(byte[] key) {
        this.changes = Changes.ofHash(key);
    }

    /** Adds what was read, by two commands, because what {@code HGETALL} answers depends on the version of the protocol. */
    void know(Response names, Response values) {
        for (int i = 0; i < names.size(); i++) {
            fields.put(names.get(i).toString(), values.get(i).toLong());
        }
    }

    OptionalInt override() {
        Long limit = fields.get(OVERRIDE);
        return limit == null ? OptionalInt.empty() : OptionalInt.of(limit.intValue());
    }

    void override(OptionalInt limit) {
        limit.ifPresentOrElse(value -> put(OVERRIDE, value), () -> remove(OVERRIDE));
    }

    /**
     * Remembers a limit that was stated, unless it was just before.
     *
     * @return others that were stated; empty when nothing is new
     */
    Set<Integer> state(int limit, long now) {
        String field = Integer.toString(limit);
        Long last = fields.get(field);
        if (last != null && now - last < BulkheadState.LIMIT_REFRESHED.toMillis()) {
            return Set.of();
        }
        put(field, now);
        Set<Integer> others = new HashSet<>();
        for (Map.Entry<String, Long> stated : List.copyOf(fields.entrySet())) {
            if (stated.getKey().equals(OVERRIDE) || stated.getKey().equals(field)) {
                continue;
            }
            if (now - stated.getValue() < PermitStore.LIMIT_REMEMBERED.toMillis()) {
                others.add(Integer.parseInt(stated.getKey()));
            } else {
                remove(stated.getKey());
            }
        }
        return others;
    }

    /** The different limits that were stated of late. */
    SortedSet<Integer> statedAt(long now) {
        SortedSet<Integer> stated = new TreeSet<>();
        fields.forEach((field, at) -> {
            if (!field.equals(OVERRIDE) && now - at < PermitStore.LIMIT_REMEMBERED.toMillis()) {
                stated.add(Integer.parseInt(field));
            }
        });
        return stated;
    }

    private void put(String field, long value) {
        fields.put(field, value);
        changes.write(field, value);
    }

    private void remove(String field) {
        if (fields.remove(field) != null) {
            changes.remove(field);
        }
    }

    Changes changes() {
        return changes;
    }
}
