package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.RedisStore;
import io.quarkiverse.redisbulkhead.runtime.RedisStores;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.semaphore.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.semaphore.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.vertx.redis.client.RedisOptions;

/** What one process has: its own connections, mailbox and engine. Several of them in one test share a Redis. */
public final class TestProcess implements AutoCloseable {

    public final List<PermitLost> losses = new CopyOnWriteArrayList<>();
    public final PermitStore store;
    public final SemaphoreEngine engine;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final RedisStore open;

    /** As an application has it. */
    public TestProcess(TestRedis redis, TestStore kind) {
        this(kind.open(new RedisStores(redis.vertx(), redis.options(), "quarkus.redis", "test", TIMEOUT)));
    }

    /** With a way to Redis for commands and another one for messages. */
    public TestProcess(TestRedis redis, TestStore kind, RedisOptions forCommands, RedisOptions forMessages) {
        this(apart(redis, kind, forCommands, forMessages));
    }

    private TestProcess(RedisStore open) {
        this.open = open;
        store = open.store();
        engine = new SemaphoreEngine(store, new RealTimers(), new HolderIdentity("app", "host:1"), losses::add, true,
                new WaiterLimits(Integer.MAX_VALUE));
    }

    private static RedisStore apart(TestRedis redis, TestStore kind, RedisOptions forCommands, RedisOptions forMessages) {
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
