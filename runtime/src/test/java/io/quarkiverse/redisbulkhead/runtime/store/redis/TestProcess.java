package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.semaphore.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.vertx.redis.client.Redis;

/** What one process has: its own connections, mailbox and engine. Several of them in one test share a Redis. */
public final class TestProcess implements AutoCloseable {

    public final List<PermitLost> losses = new CopyOnWriteArrayList<>();
    public final PermitStore store;
    public final SemaphoreEngine engine;

    private final Redis client;
    private final List<RedisLink> links;
    private final Mailbox mailbox;

    public TestProcess(TestRedis redis, TestStore store) {
        this(redis, store, redis.port());
    }

    public TestProcess(TestRedis redis, TestStore store, int viaPort) {
        this(redis, store, redis.newClient(viaPort), redis.newClient(viaPort));
    }

    /** With a way to Redis for commands and another one for messages. */
    public TestProcess(TestRedis redis, TestStore kind, Redis forCommands, Redis forMessages) {
        client = forCommands;
        links = kind.links(redis, forCommands, Duration.ofSeconds(10));
        mailbox = new Mailbox(redis.vertx(), forMessages, "test", 10_000, new PoolShare(6));
        store = kind.open(redis, links, mailbox);
        engine = new SemaphoreEngine(store, new RealTimers(), new HolderIdentity("app", "host:1"), losses::add, true);
    }

    public Semaphore semaphore(SemaphoreSpec spec) {
        return engine.semaphore(spec);
    }

    @Override
    public void close() {
        engine.close();
        mailbox.close();
        links.forEach(RedisLink::close);
        client.close();
    }
}
