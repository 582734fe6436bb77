package io.quarkiverse.redisbulkhead.deployment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.VertxTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.ConnectionListener;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisOptions;

/**
 * An instance of another application that shares the Redis of the test: as real as that of the test, but in the same process.
 */
public final class OtherInstance implements AutoCloseable {

    private final RedisShareStore store;
    private final Engine engine;
    private final List<Admission> executions = new ArrayList<>();
    private final CountDownLatch hearing = new CountDownLatch(1);
    private boolean killed;

    /** Uses a Redis. The names are those that operators see. */
    public OtherInstance(Vertx vertx, String redis, String application, String instance) {
        store = new RedisShareStore(new Topology(vertx, new RedisOptions().setConnectionString(redis), "quarkus.redis",
                "redis-bulkhead", Duration.ofSeconds(10), true));
        engine = new Engine(store.instance(), store, store.inbox(), new VertxTimers(vertx),
                new HolderIdentity(application, instance), loss -> {
                }, new WaiterLimits(100), Duration.ofSeconds(10));
        store.listen(new ConnectionListener() {

            @Override
            public void reconnected(Predicate<BulkheadId> which) {
                engine.reconnected(which);
            }

            @Override
            public void availabilityChanged() {
                engine.availabilityChanged();
            }

            @Override
            public void hearsRecalls(boolean hears) {
                engine.hearsRecalls(hears);
                if (hears) {
                    hearing.countDown();
                }
            }
        });
        store.warmUp();
    }

    /** Starts an execution that lasts until {@link #end}. */
    public void begin(SemaphoreSpec spec, String method) {
        awaitHearing();
        Admission execution = new Semaphore(engine, spec, true).admit(method);
        try {
            execution.granted().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("No permit for the other instance", e);
        }
        executions.add(execution);
    }

    // An instance that does not hear recalls keeps no idle permits.
    private void awaitHearing() {
        try {
            if (!hearing.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("No messages from Redis");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Ends all executions. */
    public void end() {
        executions.forEach(Admission::end);
        executions.clear();
    }

    /** Its name in Redis. */
    public String name() {
        return store.inbox().ownName();
    }

    /** From now on it answers other instances with a text of its own. */
    public void answerWith(String text) {
        store.inbox().answerWith(request -> CompletableFuture.completedStage(text));
    }

    /** Ends as a killed process does: it returns nothing. */
    public void kill() {
        killed = true;
        engine.close();
        store.close();
    }

    /** Stops as an application does. */
    @Override
    public void close() {
        if (!killed) {
            engine.refuseAndRejectWaiters();
            engine.releaseAll().toCompletableFuture().join();
            kill();
        }
    }
}
