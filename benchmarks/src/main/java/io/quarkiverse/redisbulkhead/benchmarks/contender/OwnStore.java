package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.RedisStore;
import io.quarkiverse.redisbulkhead.runtime.RedisStores;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * One of our stores with its connections, with the defaults of the extension but for the command timeout.
 *
 * @param permits the store
 * @param end closes what it uses
 */
public record OwnStore(PermitStore permits, Runnable end) implements AutoCloseable {

    static final String KEY_PREFIX = "redis-bulkhead";

    // More than the default, so that a busy machine does not end a run.
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

    /** The store with scripts. */
    public static OwnStore script(Surroundings surroundings) {
        Redis client = surroundings.newClient();
        return inRedis(stores(surroundings, client).script(), client);
    }

    /** The store with the lock. */
    public static OwnStore lock(Surroundings surroundings) {
        Redis client = surroundings.newClient();
        return inRedis(stores(surroundings, client).lock(Duration.ofSeconds(1), Duration.ofSeconds(3)), client);
    }

    static RedisStores stores(Surroundings surroundings, Redis client) {
        RedisOptions defaults = new RedisOptions();
        return new RedisStores(surroundings.vertx(), client, defaults.getMaxPoolSize(), defaults.getMaxWaitingHandlers(), false,
                KEY_PREFIX, COMMAND_TIMEOUT);
    }

    private static OwnStore inRedis(RedisStore store, Redis client) {
        return new OwnStore(store.store(), () -> {
            store.close();
            client.close();
        });
    }

    /** The store in this process. */
    public static OwnStore local() {
        return new OwnStore(new LocalPermitStore(System::nanoTime, System.currentTimeMillis()), () -> {
        });
    }

    @Override
    public void close() {
        end.run();
    }
}
