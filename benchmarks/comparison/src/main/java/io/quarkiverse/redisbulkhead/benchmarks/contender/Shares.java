package io.quarkiverse.redisbulkhead.benchmarks.contender;

import io.vertx.core.json.JsonArray;
import redis.clients.jedis.Jedis;

/** Reads what instances have of a bulkhead from the hash that {@code share.lua} documents. */
final class Shares {

    private static final String SUFFIX = ":shares";
    private static final String INSTANCE = "i:";
    private static final int GRANTED = 2;
    private static final int RETURNED = 4;
    private static final int REVOKED = 5;

    private Shares() {
    }

    /**
     * How many permits all instances have.
     *
     * @param key any key of a bulkhead; only that of its shares has any
     */
    static long permits(Jedis jedis, String key) {
        return !key.endsWith(SUFFIX) ? 0
                : jedis.hgetAll(key).entrySet().stream().filter(field -> field.getKey().startsWith(INSTANCE))
                        .mapToLong(field -> permits(new JsonArray(field.getValue()))).sum();
    }

    private static long permits(JsonArray record) {
        return record.getLong(GRANTED) - record.getLong(RETURNED) - record.getLong(REVOKED);
    }
}
