package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PoolShare;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisLink;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisStoreFixture;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisStoreFixture.OpenStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestStore;
import io.quarkiverse.redisbulkhead.runtime.store.steps.StepTime;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Lock stores. */
final class LockStores {

    private LockStores() {
    }

    /**
     * With a clock that the test moves.
     *
     * @param few how many of those who hold and wait a step looks at, beyond those that it is about
     */
    static StoreFixture fixture(TestRedis redis, int few) {
        StepSettings settings = new StepSettings(Duration.ofSeconds(20), Duration.ofSeconds(20), RedisStoreFixture.SLACK,
                few, Pipeline.TO_A_SERVER, new TestClock());
        return new RedisStoreFixture(redis, TestStore.LOCK, (server, client, mailbox) -> {
            List<RedisLink> links = links(server, client, Duration.ofSeconds(20));
            return new OpenStore(new LockPermitStore(links, mailbox, "test", settings, timer(server)), links);
        });
    }

    static List<RedisLink> links(TestRedis redis, Redis client, Duration timeout) {
        return Stream.generate(() -> new RedisLink(redis.vertx(), client, timeout, 1, 2, new PoolShare(6))).limit(2).toList();
    }

    static BiConsumer<Duration, Runnable> timer(TestRedis redis) {
        return (pause, task) -> redis.vertx().setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(pause.toNanos())),
                timer -> task.run());
    }

    private static final class TestClock extends ServerClock {

        @Override
        Request question() {
            return Request.cmd(Command.GET).arg(RedisStoreFixture.CLOCK);
        }

        @Override
        StepTime read(Response reply) {
            return new StepTime(reply.toLong() * 1_000);
        }
    }
}
