package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.List;

import io.vertx.core.json.JsonArray;
import io.vertx.redis.client.Response;

/** The shares of a bulkhead as an operator reads them from Redis: without a script, so also while Redis refuses writes. */
public final class StoredShares {

    /**
     * The record of one instance.
     *
     * @param instance its channel
     * @param number of its last statement
     * @param epoch of its counters
     * @param granted how many permits it was granted
     * @param returned how many it has returned or lost by a revocation
     */
    public record Share(String instance, long number, long epoch, long granted, long returned) {
    }

    private StoredShares() {
    }

    /** The records of all instances. */
    public static List<Share> of(TestRedis redis, String key) {
        List<Share> shares = new ArrayList<>();
        Response fields = redis.command("HGETALL", key);
        for (String field : fields.getKeys()) {
            if (field.startsWith("i:")) {
                JsonArray values = new JsonArray(fields.get(field).toString());
                shares.add(new Share(field.substring(2), values.getLong(0), values.getLong(1), values.getLong(2),
                        values.getLong(4) + values.getLong(5)));
            }
        }
        return shares;
    }

    /** How many permits all instances have together. */
    public static int granted(TestRedis redis, String key) {
        return (int) of(redis, key).stream().mapToLong(share -> share.granted() - share.returned()).sum();
    }
}
