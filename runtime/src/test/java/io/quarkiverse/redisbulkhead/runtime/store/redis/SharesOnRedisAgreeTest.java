package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.SharesAgreeTest;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.ShareExplorationTest;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.ShareExplorationTest.Setting;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel.Published;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Response;

/**
 * {@code share.lua} does the same on a real Redis as on the model, on a clock and a run id that the test sets: they are read
 * from keys, and times to live and messages are written to keys.
 */
class SharesOnRedisAgreeTest {

    private static TestRedis redis;
    private static Redis client;

    @BeforeAll
    static void open() {
        redis = new TestRedis();
        client = redis.newClient();
    }

    @AfterAll
    static void close() {
        client.close();
        redis.close();
    }

    private static final class OnRedis extends ComparedShares.Script {

        private static final String EXPIRES = "test:expires";
        private static final String MESSAGES = "test:messages";

        private final String text;

        private OnRedis(String script) {
            super(BULKHEAD);
            text = replaced(replaced(replaced(replaced(script,
                    "call('TIME')", "{ call('GET', 'test:seconds'), call('GET', 'test:micros') }"),
                    "redis.pcall('INFO', 'server')", "'run_id:' .. call('GET', 'test:run') .. '\\r\\n'"),
                    "redis.pcall('PUBLISH', ", "call('RPUSH', '" + MESSAGES + "', "),
                    ", all.kept - now)", ", all.kept - now + math.floor(wall / 1000))").replace("call('PEXPIRE', ",
                            "call('HSET', '" + EXPIRES + "', ");
        }

        private static String replaced(String text, String part, String instead) {
            assertThat(text).contains(part);
            return text.replace(part, instead);
        }

        @Override
        protected Object run(List<String> args) {
            Object[] words = Stream.concat(Stream.of(text, "2", HASH, QUEUE), args.stream()).toArray();
            return RedisShareStore.value(redis.command(client, "EVAL", words));
        }

        @Override
        protected List<Published> published() {
            List<Published> published = new ArrayList<>();
            List<String> words = texts(redis.command(client, "LRANGE", MESSAGES, 0, -1));
            for (int i = 0; i < words.size(); i += 2) {
                published.add(new Published(words.get(i), words.get(i + 1)));
            }
            redis.command(client, "DEL", MESSAGES);
            return published;
        }

        private static List<String> texts(Response response) {
            return StreamSupport.stream(response.spliterator(), false).map(Response::toString).toList();
        }

        @Override
        public void at(long time, String runId) {
            micros = time;
            redis.command(client, "MSET", "test:seconds", time / 1_000_000, "test:micros", time % 1_000_000, "test:run", runId);
            for (String key : List.of(HASH, QUEUE)) {
                if (expiry(key) <= micros / 1_000) {
                    redis.command(client, "DEL", key);
                }
            }
        }

        private long expiry(String key) {
            Response millis = redis.command(client, "HGET", EXPIRES, key);
            return millis == null ? 0 : millis.toLong();
        }

        @Override
        public Stored stored() {
            Map<String, String> fields = new TreeMap<>();
            List<String> pairs = texts(redis.command(client, "EVAL", "return redis.call('HGETALL', KEYS[1])", 1, HASH));
            for (int i = 0; i < pairs.size(); i += 2) {
                fields.put(pairs.get(i), pairs.get(i + 1));
            }
            Map<String, Long> queue = new TreeMap<>();
            List<String> places = texts(
                    redis.command(client, "EVAL", "return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')", 1, QUEUE));
            for (int i = 0; i < places.size(); i += 2) {
                queue.put(places.get(i), Long.valueOf(places.get(i + 1)));
            }
            return new Stored(fields, queue, fields.isEmpty() ? 0 : expiry(HASH), queue.isEmpty() ? 0 : expiry(QUEUE));
        }

        @Override
        public void restore(Stored stored) {
            redis.command(client, "DEL", HASH, QUEUE);
            stored.fields().forEach((field, value) -> redis.command(client, "HSET", HASH, field, value));
            stored.queue().forEach((instance, ticket) -> redis.command(client, "ZADD", QUEUE, ticket, instance));
            redis.command(client, "HSET", EXPIRES, HASH, stored.fieldsExpire(), QUEUE, stored.queueExpires());
        }
    }

    @Test
    @DisplayName("Trap 46: the script of shares agrees with the state machine on a real Redis")
    void scriptOnRedisAgreesWithTheStateMachine() {
        SharesAgreeTest.compare(List.of(new ComparedShares.Machine(), new OnRedis(ScriptTexts.of("share"))), 10);
    }

    /** A sample: a step over the network takes longer than one in memory. */
    @ParameterizedTest
    @EnumSource
    void scriptOnRedisKeepsTheRules(Setting setting) {
        ShareExplorationTest.explore(new OnRedis(ScriptTexts.of("share")), setting, 60);
    }
}
