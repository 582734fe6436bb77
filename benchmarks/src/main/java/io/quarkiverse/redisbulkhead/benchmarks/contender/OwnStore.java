package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.VertxTimers;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Mailbox;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PoolShare;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisLink;
import io.quarkiverse.redisbulkhead.runtime.store.script.ScriptPermitStore;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/**
 * One of our stores with its connections, with the defaults of the extension but for the command timeout.
 *
 * @param permits the store
 * @param end closes what it uses
 */
public record OwnStore(PermitStore permits, Runnable end) implements AutoCloseable {

    static final String KEY_PREFIX = "redis-bulkhead";

    // More than the default, so that a busy machine does not end a run.
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);
    private static final int POOL = 6;
    private static final int MAX_IN_FLIGHT = 1_024;
    private static final int LANES = 3;

    /** The store with scripts. */
    public static OwnStore script(Surroundings surroundings) {
        Redis client = surroundings.newClient();
        RedisLink link = newLink(surroundings, client);
        Mailbox mailbox = newMailbox(surroundings, client);
        return new OwnStore(new ScriptPermitStore(link, mailbox, KEY_PREFIX, false), () -> {
            mailbox.close();
            link.close();
            client.close();
        });
    }

    /** The connection that the store with scripts has. */
    static RedisLink newLink(Surroundings surroundings, Redis client) {
        return new RedisLink(surroundings.vertx(), client, COMMAND_TIMEOUT, MAX_IN_FLIGHT, 2, PoolShare.of(POOL, 2));
    }

    /** The store with the lock. */
    public static OwnStore lock(Surroundings surroundings) {
        Vertx vertx = surroundings.vertx();
        Redis client = surroundings.newClient();
        PoolShare share = PoolShare.of(POOL, LANES + 1);
        List<RedisLink> links = Stream.generate(() -> new RedisLink(vertx, client, COMMAND_TIMEOUT, 1, 2, share)).limit(LANES)
                .toList();
        Mailbox mailbox = newMailbox(surroundings, client);
        VertxTimers timers = new VertxTimers(vertx);
        LockPermitStore store = new LockPermitStore(links, mailbox, KEY_PREFIX, Duration.ofSeconds(1), Duration.ofSeconds(3),
                false, timers::after);
        return new OwnStore(store, () -> {
            mailbox.close();
            links.forEach(RedisLink::close);
            client.close();
        });
    }

    private static Mailbox newMailbox(Surroundings surroundings, Redis client) {
        return new Mailbox(surroundings.vertx(), client, KEY_PREFIX, COMMAND_TIMEOUT.toMillis(), PoolShare.of(POOL, 2));
    }

    /** The store in this process. */
    public static OwnStore local() {
        return new OwnStore(new LocalPermitStore(System::nanoTime, System.currentTimeMillis()), () -> {
        });
    }

    @Override
    public void close() {
        end.run();
    }
}
