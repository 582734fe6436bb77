package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.RedisStore;
import io.quarkiverse.redisbulkhead.runtime.RedisStores;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;
import io.vertx.redis.client.RedisOptions;

/**
 * One of our stores with its connections, with the defaults of the extension but for the command timeout.
 *
 * @param permits the store
 * @param end closes what it uses
 */
public record OwnStore(PermitStore permits, Runnable end) implements AutoCloseable {

    static final String KEY_PREFIX = "redis-bulkhead";

    // As in application.properties.
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

    /** The store with scripts. */
    public static OwnStore script(BenchmarkEnvironment environment) {
        return inRedis(stores(environment).script());
    }

    /** The store with the lock. */
    public static OwnStore lock(BenchmarkEnvironment environment) {
        return inRedis(stores(environment).lock(Duration.ofSeconds(1), Duration.ofSeconds(3)));
    }

    static RedisStores stores(BenchmarkEnvironment environment) {
        return new RedisStores(environment.vertx(), new RedisOptions().setConnectionString(environment.redis().url()),
                "quarkus.redis", KEY_PREFIX, COMMAND_TIMEOUT);
    }

    private static OwnStore inRedis(RedisStore store) {
        return new OwnStore(store.store(), store::close);
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
