package io.quarkiverse.redisbulkhead.testredis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.vertx.core.json.JsonArray;

/**
 * The shares of one bulkhead as they stand in Redis; {@code share.lua} documents the layout. Uses none of the code under test.
 */
final class StoredShares {

    // An instance with calls that wait is dead when its last statement is older.
    private static final long WAITER_MILLIS = 3_000;

    private static final long GRACE_MICROS = 2_000_000;

    // Positions in the field "bulkhead".
    private static final int SINCE = 2;
    private static final int GRACE_END = 3;
    private static final int CLOCK = 6;
    private static final int OFFSET = 7;

    // Positions in the record of an instance, or of a permit that no instance holds.
    private static final int EPOCH = 1;
    private static final int GRANTED = 2;
    private static final int RETURNED = 4;
    private static final int REVOKED = 5;
    private static final int END = 6;
    private static final int STATED = 7;
    private static final int KEEPS = 8;
    private static final int WAITING = 15;

    private final String key;
    private final Map<String, String> fields;
    private final long nowMillis;

    /** From the fields of the hash, which may be empty, at a time of the server. The key is for messages. */
    StoredShares(String key, Map<String, String> fields, long micros) {
        this.key = key;
        this.fields = fields;
        this.nowMillis = corrected(micros) / 1_000;
    }

    // The script does not let the time go back when the clock is set back.
    private long corrected(long micros) {
        if (!fields.containsKey("bulkhead")) {
            return micros;
        }
        JsonArray totals = new JsonArray(fields.get("bulkhead"));
        long clock = totals.getLong(CLOCK);
        return micros >= clock ? micros : micros + Math.max(totals.getLong(OFFSET), clock - micros);
    }

    /** The permits in all shares and holds that have not ended. */
    long permits() {
        return fields.entrySet().stream().mapToLong(field -> permits(field.getKey(), field.getValue())).sum();
    }

    private long permits(String field, String value) {
        if (!field.startsWith("i:") && !field.startsWith("h:")) {
            return 0;
        }
        JsonArray share = new JsonArray(value);
        return share.getLong(END) > nowMillis ? share.getLong(GRANTED) - share.getLong(RETURNED) - share.getLong(REVOKED) : 0;
    }

    Map<String, Long> byInstance() {
        return fields.entrySet().stream().filter(field -> field.getKey().startsWith("i:"))
                .collect(Collectors.toMap(Map.Entry::getKey, field -> permits(field.getKey(), field.getValue())));
    }

    /** How many instances have permits, and keep those that are idle. */
    long keepers() {
        return fields.entrySet().stream().filter(field -> field.getKey().startsWith("i:")
                && permits(field.getKey(), field.getValue()) > 0 && new JsonArray(field.getValue()).getLong(KEEPS) == 1)
                .count();
    }

    /**
     * The instances that stated their position after the grace period that followed a restart or a failover. An epoch is the
     * time at which it began, in microseconds.
     */
    List<String> late() {
        JsonArray totals = new JsonArray(fields.getOrDefault("bulkhead", "[1,\"\",0,0]"));
        long graceEnd = totals.getLong(SINCE) > 0 ? totals.getLong(SINCE) + GRACE_MICROS : totals.getLong(GRACE_END) * 1_000;
        return fields.entrySet().stream().filter(field -> field.getKey().startsWith("i:")
                && new JsonArray(field.getValue()).getLong(EPOCH) > graceEnd).map(field -> key + " " + field.getKey()).toList();
    }

    /** The calls that wait, including those of dead instances. */
    long waiters() {
        return fields.entrySet().stream().filter(field -> field.getKey().startsWith("i:"))
                .mapToLong(field -> waiters(field.getValue())).sum();
    }

    private static long waiters(String value) {
        return new JsonArray(value).getJsonArray(WAITING).stream().mapToLong(group -> ((JsonArray) group).getLong(2)).sum();
    }

    /** The records with permits, and those of live instances with calls that wait. */
    List<String> living() {
        List<String> living = new ArrayList<>();
        fields.forEach((field, value) -> {
            boolean waits = field.startsWith("i:") && waiters(value) > 0
                    && new JsonArray(value).getLong(STATED) + WAITER_MILLIS > nowMillis;
            if (waits || permits(field, value) > 0) {
                living.add(key + " " + field + " " + value);
            }
        });
        return living;
    }
}
