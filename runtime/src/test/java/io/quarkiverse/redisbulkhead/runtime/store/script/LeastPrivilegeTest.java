package io.quarkiverse.redisbulkhead.runtime.store.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestProcess;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.vertx.redis.client.Redis;

/** A Redis user who may do what the README lists, and nothing else. */
class LeastPrivilegeTest {

    static final List<String> RIGHTS = List.of("reset", "resetchannels", "on", ">secret", "~test:*", "&test:*", "+eval",
            "+evalsha", "+subscribe", "+unsubscribe", "+hello", "+auth", "+ping", "+time", "+publish", "+get", "+set", "+pttl",
            "+pexpire", "+hget", "+hgetall", "+hset", "+hdel", "+hlen", "+zadd", "+zcard", "+zcount", "+zrange",
            "+zrangebyscore", "+zrem", "+zremrangebyscore", "+zscore");

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void everythingWorks(boolean fair) throws Exception {
        TestRedis redis = new TestRedis();
        redis.command("ACL", Stream.concat(Stream.of("SETUSER", "bulkhead"), RIGHTS.stream()).toArray());
        Redis commands = poor(redis);
        Redis messages = poor(redis);
        try (TestProcess process = new TestProcess(redis, commands, messages)) {
            Semaphore semaphore = process.semaphore(SemaphoreSpec.named("reports").permits(1).fair(fair)
                    .maxWait(Duration.ofMinutes(1)).expire(Duration.ofMinutes(1)).build());
            HeldPermit held = get(semaphore.admit("A#a").granted()).get(0);
            Admission waiter = semaphore.admit("A#b");
            get(waiter.asked());
            await().atMost(10, TimeUnit.SECONDS).until(() -> redis.command("PUBSUB", "CHANNELS", "*").size() == 1);
            assertThat(get(semaphore.status()).waiting()).isEqualTo(1);
            assertThat(get(held.refresh())).isTrue();
            get(semaphore.resize(1));
            assertThat(get(semaphore.resetSize())).isTrue();
            assertThat(get(held.release())).isTrue();

            HeldPermit next = get(waiter.granted()).get(0);
            get(process.store.cancel("reports", List.of("never"), Duration.ofSeconds(5)));
            assertThat(get(semaphore.revoke(next.id()))).isTrue();
            await().atMost(10, TimeUnit.SECONDS).until(() -> !process.losses.isEmpty());
            get(waiter.end());
        } finally {
            messages.close();
            redis.close();
        }
    }

    /** The list is the README's, and no right in it is without use: the scripts call nothing else, and all of these. */
    @Test
    void theScriptsCallWhatIsListed() {
        List<String> called = Stream.of("acquire", "release", "renew", "poll", "revoke", "resize", "occupancy")
                .map(name -> LuaScript.load(name + ".lua").text())
                .flatMap(text -> Stream.of(text.split("\\W+")))
                .filter(word -> word.matches("[A-Z]{3,}") && RIGHTS.contains("+" + word.toLowerCase()))
                .map(word -> "+" + word.toLowerCase()).distinct().sorted().toList();

        assertThat(RIGHTS.subList(RIGHTS.indexOf("+time"), RIGHTS.size())).containsExactlyInAnyOrderElementsOf(called);
    }

    private static Redis poor(TestRedis redis) {
        return Redis.createClient(redis.vertx(), "redis://bulkhead:secret@127.0.0.1:" + redis.port());
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
