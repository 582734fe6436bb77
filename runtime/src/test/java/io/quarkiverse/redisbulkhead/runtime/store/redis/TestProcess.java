package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.RedisStore;
import io.quarkiverse.redisbulkhead.runtime.RedisStores;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.vertx.redis.client.RedisOptions;

/** The connections, mailbox and engine of one process. Several instances in a test share a Redis. */
public final class TestProcess implements AutoCloseable {

    public final List<PermitLost> losses = new CopyOnWriteArrayList<>();
    public final PermitStore store;
    public final SemaphoreEngine engine;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final RedisStore open;

    /** As in an application. */
    public TestProcess(TestRedis redis, TestStore kind) {
        this(kind.open(new RedisStores(redis.vertx(), redis.options(), "quarkus.redis", "test", TIMEOUT)));
    }

    /** With separate options for commands and messages. */
    public TestProcess(TestRedis redis, TestStore kind, RedisOptions forCommands, RedisOptions forMessages) {
        this(separate(redis, kind, forCommands, forMessages));
    }

    private TestProcess(RedisStore open) {
        this.open = open;
        store = open.store();
        engine = new SemaphoreEngine(store, new RealTimers(), new HolderIdentity("app", "host:1"), losses::add, true,
                new WaiterLimits(Integer.MAX_VALUE));
    }

    private static RedisStore separate(TestRedis redis, TestStore kind, RedisOptions forCommands, RedisOptions forMessages) {
        RedisConnectionManager connections = kind.connections(redis, forCommands, TIMEOUT);
        NotificationSubscriber notifications = new NotificationSubscriber(
                new RedisConnectionManager(redis.vertx(), forMessages, "quarkus.redis", "test", TIMEOUT, 1, true),
                TIMEOUT.toMillis());
        return new RedisStore(kind.open(redis, connections, notifications), connections, notifications);
    }

    public Semaphore semaphore(SemaphoreSpec spec) {
        return engine.semaphore(spec);
    }

    @Override
    public void close() {
        engine.close();
        open.close();
    }
}
