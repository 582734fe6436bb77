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
import io.quarkiverse.redisbulkhead.runtime.store.script.ScriptPermitStore;
import io.vertx.redis.client.Redis;

/** What one process has: its own connections, mailbox and engine. Several of them in one test share a Redis. */
public final class TestProcess implements AutoCloseable {

    public final List<PermitLost> losses = new CopyOnWriteArrayList<>();
    public final PermitStore store;
    public final SemaphoreEngine engine;

    private final Redis client;
    private final RedisLink link;
    private final Mailbox mailbox;

    public TestProcess(TestRedis redis) {
        this(redis, redis.port());
    }

    public TestProcess(TestRedis redis, int viaPort) {
        this(redis, redis.newClient(viaPort), redis.newClient(viaPort));
    }

    /** With a way to Redis for commands and another one for messages. */
    public TestProcess(TestRedis redis, Redis forCommands, Redis forMessages) {
        client = forCommands;
        link = new RedisLink(redis.vertx(), forCommands, Duration.ofSeconds(10), 1024);
        mailbox = new Mailbox(redis.vertx(), forMessages, "test", 10_000);
        store = new ScriptPermitStore(link, mailbox, "test");
        engine = new SemaphoreEngine(store, new RealTimers(), new HolderIdentity("app", "host:1"), losses::add, true);
    }

    public Semaphore semaphore(SemaphoreSpec spec) {
        return engine.semaphore(spec);
    }

    @Override
    public void close() {
        engine.close();
        mailbox.close();
        link.close();
        client.close();
    }
}
