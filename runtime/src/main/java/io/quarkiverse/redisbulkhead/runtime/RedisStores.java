package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.store.redis.LockShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisOptions;

/**
 * Makes stores in Redis with connections of their own. They connect at the first call.
 *
 * @param vertx runs timers and connections
 * @param options where Redis is and how to connect; null where nothing says that, and then all calls fail
 * @param properties what the properties of the Redis client start with, for messages: {@code quarkus.redis}
 * @param keyPrefix what all keys start with; without braces
 * @param commandTimeout after what silence Redis is away
 */
public record RedisStores(Vertx vertx, RedisOptions options, String properties, String keyPrefix, Duration commandTimeout) {

    // Each carries one step at a time.
    private static final int CONNECTIONS_FOR_STEPS = 4;

    /**
     * The store with scripts.
     *
     * @return to be closed
     */
    public RedisShareStore script() {
        return new ScriptShareStore(new Topology(vertx, options, properties, keyPrefix, commandTimeout, 1, true));
    }

    /**
     * The store with a lock.
     *
     * @param stepTimeout after which time the lock of a process that died within a step is free
     * @param contentionTimeout for how long an operation tries to get the lock
     * @return to be closed
     */
    public RedisShareStore lock(Duration stepTimeout, Duration contentionTimeout) {
        return new LockShareStore(new Topology(vertx, options, properties, keyPrefix, commandTimeout, CONNECTIONS_FOR_STEPS,
                false), stepTimeout, contentionTimeout);
    }
}
