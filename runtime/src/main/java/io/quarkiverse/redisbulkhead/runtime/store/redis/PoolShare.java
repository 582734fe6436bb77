package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jboss.logging.Logger;

/**
 * How many connections of the Redis client's pool the links and the mailbox of a process may have together. What is being
 * opened counts too, for however long that takes: it takes a place in the pool and cannot be called back. The rest is the
 * application's, whatever becomes of Redis.
 * <p>
 * Safe for use by many threads.
 */
public final class PoolShare {

    private static final Logger LOG = Logger.getLogger(PoolShare.class);

    /** After how many command timeouts an attempt is not waited for any longer; what has not come by then hardly ever will. */
    static final int TIMEOUTS_UNTIL_FORGOTTEN = 10;

    private static final int OF_THE_APPLICATION = 2;

    private final int most;
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicBoolean silenceTold = new AtomicBoolean();

    /**
     * A share of that size.
     *
     * @param most how many connections there may be
     */
    public PoolShare(int most) {
        this.most = most;
    }

    /**
     * All of a pool but what is left for the application.
     *
     * @param poolSize how many connections the pool has
     * @param needed how many are needed to work at all; so many there may be in any case
     */
    public static PoolShare of(int poolSize, int needed) {
        return new PoolShare(Math.max(needed, poolSize - OF_THE_APPLICATION));
    }

    /** How many connections there may be. */
    public int most() {
        return most;
    }

    /** Takes one for an attempt to connect, if there is one left. */
    boolean take() {
        if (taken.incrementAndGet() <= most) {
            return true;
        }
        taken.decrementAndGet();
        return false;
    }

    /** The attempt has failed, or its connection was closed. */
    void giveBack() {
        taken.decrementAndGet();
    }

    /** An attempt has succeeded, so the server speaks. */
    void heard() {
        silenceTold.set(false);
    }

    /** An attempt is not waited for any longer, but keeps its connection. It is told once until the server speaks again. */
    void silent(Duration waited) {
        if (!silenceTold.getAndSet(true)) {
            LOG.warnf(
                    "Redis, or what is between, accepts a connection and has said nothing for %d ms. The connection stays open "
                            + "and counts in the pool of the Redis client, and the bulkheads use no more than %d of it: when so many "
                            + "are open they do not try again until one of them ends. With quarkus.redis.tcp.idle-timeout, for example "
                            + "1m, the client ends such connections",
                    waited.toMillis(), most);
        }
    }
}
