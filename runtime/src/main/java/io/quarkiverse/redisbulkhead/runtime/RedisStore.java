package io.quarkiverse.redisbulkhead.runtime;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Mailbox;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisLink;

/**
 * The store in Redis with its connections.
 *
 * @param store where permits live
 * @param link for commands
 * @param mailbox for what Redis tells
 */
record RedisStore(PermitStore store, RedisLink link, Mailbox mailbox) implements AutoCloseable {

    /** Closes the connections; the client stays open. */
    @Override
    public void close() {
        mailbox.close();
        link.close();
    }
}
