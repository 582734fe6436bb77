package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology;
import io.vertx.redis.client.RedisOptions;

/**
 * One of our stores with its connections, with the defaults of the extension but for the command timeout.
 *
 * @param redis the store; empty for the one in this process
 */
public record OwnStore(Optional<RedisShareStore> redis) implements AutoCloseable {

    static final String KEY_PREFIX = "redis-bulkhead";

    // As in application.properties.
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

    private static final HolderIdentity IDENTITY = new HolderIdentity("benchmarks", "here:1");
    private static final SemaphoreListener DEAF = loss -> {
    };

    /** The store with scripts. */
    public static OwnStore script(BenchmarkEnvironment environment) {
        return new OwnStore(Optional.of(scripts(environment)));
    }

    /** The store with the lock. */
    public static OwnStore lock(BenchmarkEnvironment environment) {
        return new OwnStore(
                Optional.of(new RedisShareStore(topology(environment, false), Duration.ofSeconds(1), Duration.ofSeconds(3))));
    }

    /** The store in this process. */
    public static OwnStore local() {
        return new OwnStore(Optional.empty());
    }

    static RedisShareStore scripts(BenchmarkEnvironment environment) {
        return new RedisShareStore(connection(environment));
    }

    /** A connection like that of the store with scripts. */
    static Topology connection(BenchmarkEnvironment environment) {
        return topology(environment, true);
    }

    private static Topology topology(BenchmarkEnvironment environment, boolean pipelined) {
        return new Topology(environment.vertx(), options(environment), "quarkus.redis", KEY_PREFIX, COMMAND_TIMEOUT, pipelined);
    }

    private static RedisOptions options(BenchmarkEnvironment environment) {
        return new RedisOptions().setConnectionString(environment.redis().url());
    }

    /** A new instance that uses this store. To be called once. */
    Engine engine(Timers timers) {
        WaiterLimits unbounded = new WaiterLimits(Integer.MAX_VALUE);
        return redis.map(store -> {
            Engine engine = new Engine(store.instance(), store, store.inbox(), timers, IDENTITY, DEAF, unbounded,
                    COMMAND_TIMEOUT);
            store.listen(engine);
            return engine;
        }).orElseGet(() -> new Engine("local", timers, IDENTITY, DEAF, unbounded));
    }

    @Override
    public void close() {
        redis.ifPresent(RedisShareStore::close);
    }
}
