package io.quarkiverse.redisbulkhead.runtime;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.NotificationSubscriber;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;

/**
 * The store in Redis with its connections.
 *
 * @param store where permits live
 * @param connections for commands
 * @param notifications for what Redis tells
 */
public record RedisStore(PermitStore store, RedisConnectionManager connections, NotificationSubscriber notifications)
        implements
            AutoCloseable {

    /** Closes the connections. */
    @Override
    public void close() {
        notifications.close();
        connections.close();
    }
}
