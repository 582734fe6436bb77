package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Mailbox;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisLink;

/**
 * The store in Redis with its connections.
 *
 * @param store where permits live
 * @param links for commands
 * @param mailbox for what Redis tells
 */
public record RedisStore(PermitStore store, List<RedisLink> links, Mailbox mailbox) implements AutoCloseable {

    /** Closes the connections; the client stays open. */
    @Override
    public void close() {
        mailbox.close();
        links.forEach(RedisLink::close);
    }
}
