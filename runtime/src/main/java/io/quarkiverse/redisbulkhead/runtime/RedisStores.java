package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Mailbox;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PoolShare;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisLink;
import io.quarkiverse.redisbulkhead.runtime.store.script.ScriptPermitStore;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/**
 * Makes stores in Redis with their connections, which share the pool of one client with the application. They connect at
 * the first call.
 *
 * @param vertx runs timers
 * @param redis the client that connections come from; it stays the caller's
 * @param poolSize how many connections the client has at the most
 * @param maxWaitingHandlers how many commands the client lets wait for their answers
 * @param cluster whether it is the client of a Redis Cluster
 * @param keyPrefix what all keys start with; without braces
 * @param commandTimeout after what time a call is given up
 */
public record RedisStores(Vertx vertx, Redis redis, int poolSize, int maxWaitingHandlers, boolean cluster, String keyPrefix,
        Duration commandTimeout) {

    // More commands on their way at once than this gain nothing; the client refuses those beyond max-waiting-handlers.
    private static final int MAX_IN_FLIGHT = 1024;

    // Connections that carry one step at a time. They are the client's, whose pool others need too.
    private static final int MOST_LANES = 4;

    // How many connections a link opens at once, of the same pool: fewer than its share, so that others can be tried when those say nothing.
    private static final int MOST_ATTEMPTS = 4;
    private static final int MOST_ATTEMPTS_OF_A_LANE = 2;

    /**
     * The store with scripts.
     *
     * @return to be closed
     */
    public RedisStore script() {
        PoolShare share = shareOf(1);
        RedisLink link = new RedisLink(vertx, redis, commandTimeout, Math.min(MAX_IN_FLIGHT, maxWaitingHandlers),
                Math.min(MOST_ATTEMPTS, share.most() / 2), share);
        Mailbox mailbox = newMailbox(share);
        return new RedisStore(new ScriptPermitStore(link, mailbox, keyPrefix, cluster), List.of(link), mailbox);
    }

    /**
     * The store with a lock.
     *
     * @param stepTimeout after which time the lock of a process that died within a step is free
     * @param contentionTimeout for how long an operation tries to get the lock
     * @return to be closed
     */
    public RedisStore lock(Duration stepTimeout, Duration contentionTimeout) {
        int lanes = Math.max(1, Math.min(MOST_LANES, poolSize / 2));
        PoolShare share = shareOf(lanes);
        List<RedisLink> links = Stream
                .generate(() -> new RedisLink(vertx, redis, commandTimeout, 1, MOST_ATTEMPTS_OF_A_LANE, share))
                .limit(lanes).toList();
        Mailbox mailbox = newMailbox(share);
        return new RedisStore(new LockPermitStore(links, mailbox, keyPrefix, stepTimeout, contentionTimeout, cluster,
                new VertxTimers(vertx)::after), links, mailbox);
    }

    // One for messages, and one for each link.
    private PoolShare shareOf(int links) {
        return PoolShare.of(poolSize, 1 + links);
    }

    private Mailbox newMailbox(PoolShare share) {
        return new Mailbox(vertx, redis, keyPrefix, commandTimeout.toMillis(), share);
    }
}
