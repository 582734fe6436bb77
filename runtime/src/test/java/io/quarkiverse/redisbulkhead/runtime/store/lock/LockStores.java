package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisStoreFixture;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestStore;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;

/** Creates lock stores for tests. */
final class LockStores {

    private LockStores() {
    }

    /** With a clock that the test moves. */
    static StoreFixture fixture(TestRedis redis) {
        LockPermitStore.Clock clock = new LockPermitStore.Clock(() -> Request.cmd(Command.GET).arg(RedisStoreFixture.CLOCK),
                reply -> reply.toLong() * 1_000);
        return new RedisStoreFixture(redis, TestStore.LOCK, (server, connections,
                notifications) -> new LockPermitStore(connections, notifications,
                        new LockPermitStore.Settings(notifications.name(), Duration.ofSeconds(20), Duration.ofSeconds(20),
                                RedisStoreFixture.SLACK, LockPermitStore.MOST, clock),
                        timer(server)));
    }

    static RedisConnectionManager connections(TestRedis redis, RedisOptions options, Duration timeout) {
        return new RedisConnectionManager(redis.vertx(), options, "quarkus.redis", "test", timeout, 2, false);
    }

    static BiConsumer<Duration, Runnable> timer(TestRedis redis) {
        return (pause, task) -> redis.vertx().setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(pause.toNanos())),
                timer -> task.run());
    }
}
