package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.vertx.redis.client.RedisOptions;

/** The store and the engine of one process. Several processes in a test share a Redis. */
public final class TestProcess implements AutoCloseable {

    public final List<PermitLost> losses = new CopyOnWriteArrayList<>();
    public final RedisShareStore store;
    public final Engine engine;
    /** The calls that wait now. */
    public final WaiterLimits limits = new WaiterLimits(Integer.MAX_VALUE);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** As in an application. */
    public TestProcess(TestRedis redis, TestStore kind) {
        this(redis, kind, redis.options());
    }

    /** With other options for its connections. */
    public TestProcess(TestRedis redis, TestStore kind, RedisOptions options) {
        store = kind.open(redis, options, TIMEOUT);
        engine = new Engine(store.instance(), store, store.inbox(), new RealTimers(), new HolderIdentity("app", "host:1"),
                losses::add, limits, TIMEOUT);
        store.listen(engine);
    }

    public Semaphore semaphore(SemaphoreSpec spec) {
        return new Semaphore(engine, spec, true);
    }

    @Override
    public void close() {
        engine.close();
        store.close();
    }
}
