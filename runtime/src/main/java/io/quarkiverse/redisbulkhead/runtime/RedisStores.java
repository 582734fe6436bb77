package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.NotificationSubscriber;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisPermitStore;
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
     * The store of shares, with scripts.
     *
     * @return to be closed
     */
    public RedisShareStore shares() {
        return new ScriptShareStore(new Topology(vertx, options, properties, keyPrefix, commandTimeout, 1, true));
    }

    /**
     * The store of shares, with a lock.
     *
     * @param stepTimeout after which time the lock of a process that died within a step is free
     * @param contentionTimeout for how long an operation tries to get the lock
     * @return to be closed
     */
    public RedisShareStore lockedShares(Duration stepTimeout, Duration contentionTimeout) {
        return new LockShareStore(new Topology(vertx, options, properties, keyPrefix, commandTimeout, CONNECTIONS_FOR_STEPS,
                false), stepTimeout, contentionTimeout);
    }

    /**
     * The store of permits, with scripts.
     *
     * @return to be closed
     */
    public RedisStore script() {
        RedisConnectionManager connections = new RedisConnectionManager(vertx, options, properties, keyPrefix, commandTimeout,
                1, true);
        NotificationSubscriber notifications = notifications(connections);
        return new RedisStore(new RedisPermitStore(connections, notifications), connections, notifications);
    }

    /**
     * The store of permits, with a lock.
     *
     * @param stepTimeout after which time the lock of a process that died within a step is free
     * @param contentionTimeout for how long an operation tries to get the lock
     * @return to be closed
     */
    public RedisStore lock(Duration stepTimeout, Duration contentionTimeout) {
        RedisConnectionManager connections = new RedisConnectionManager(vertx, options, properties, keyPrefix, commandTimeout,
                CONNECTIONS_FOR_STEPS, false);
        NotificationSubscriber notifications = notifications(connections);
        return new RedisStore(new LockPermitStore(connections, notifications, stepTimeout, contentionTimeout,
                new VertxTimers(vertx)::after), connections, notifications);
    }

    private NotificationSubscriber notifications(RedisConnectionManager connections) {
        return new NotificationSubscriber(connections, commandTimeout.toMillis());
    }
}
