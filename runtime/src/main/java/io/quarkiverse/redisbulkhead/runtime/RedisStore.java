package io.quarkiverse.redisbulkhead.runtime;

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
 * @param notifications receives messages
 */
public record RedisStore(PermitStore store, RedisConnectionManager connections, NotificationSubscriber notifications)
        implements
            AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RedisStore.class);

    /**
     * Connects in the background and makes a call that changes nothing, which loads the script and the classes of a call.
     * What is wrong with Redis is logged then.
     */
    public void warmUp() {
        connections.warmUp();
        // A permit that does not exist.
        store.release(BulkheadId.of("warm-up"), "none")
                .whenComplete((held, failure) -> LOG.debug("The warm-up call to Redis has ended", failure));
    }

    /** Closes the connections. */
    @Override
    public void close() {
        notifications.close();
        connections.close();
    }
}
