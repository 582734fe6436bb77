package io.quarkiverse.redisbulkhead.benchmarks;

import java.util.Set;
import java.util.stream.Collectors;

import io.vertx.core.json.JsonArray;
import redis.clients.jedis.Jedis;

/** What is left in Redis. The record of an instance outlives its last permit, until its time to live is over. */
public final class SharesInRedis {

    private SharesInRedis() {
    }

    /** All keys but the hashes of bulkheads of which no instance has a permit. */
    public static Set<String> keysInUse(Jedis jedis) {
        return jedis.keys("*").stream().filter(key -> !key.endsWith(":shares") || permits(jedis, key) > 0 || jedis.ttl(key) < 0)
                .collect(Collectors.toSet());
    }

    /** The permits of all instances, as the header of {@code share.lua} says how to list them. */
    public static long permits(Jedis jedis, String key) {
        return jedis.hgetAll(key).entrySet().stream().filter(field -> field.getKey().startsWith("i:"))
                .map(field -> new JsonArray(field.getValue()))
                .mapToLong(record -> record.getLong(2) - record.getLong(4) - record.getLong(5)).sum();
    }
}
