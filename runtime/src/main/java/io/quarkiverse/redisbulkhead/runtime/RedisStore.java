package io.quarkiverse.redisbulkhead.runtime;

import java.util.function.BooleanSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
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

    private static final Logger LOG = Logger.getLogger(RedisStore.class);

    /**
     * Connects in the background, loads the scripts and makes a call that changes nothing, so that the first real calls find
     * all of
     * that done. What is wrong with Redis is logged then.
     *
     * @param when tells from when on it may begin; asked now and then
     */
    public void warmUp(BooleanSupplier when) {
        connections.later(when, () -> {
            connections.warmUp();
            // Of a permit that never was.
            store.release(BulkheadId.of("warm-up"), "none")
                    .whenComplete((held, failure) -> LOG.debug("The first call to Redis has ended", failure));
        });
    }

    /** Closes the connections. */
    @Override
    public void close() {
        notifications.close();
        connections.close();
    }
}
