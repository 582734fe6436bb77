package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** Explorations of the reference semaphores rely on the Redis model: it must reply and write as a real Redis does. */
class RedisModelTest {

    private static final long NOW_MICROS = 1_700_000_000_000_000L;

    static TestRedis redis;
    static Redis client;

    RedisModel model;

    @BeforeAll
    static void start() {
        redis = new TestRedis();
        client = redis.newClient();
    }

    @AfterAll
    static void stop() {
        client.close();
        redis.close();
    }

    @BeforeEach
    void forgetAll() {
        redis.command(client, "FLUSHALL");
        model = new RedisModel(NOW_MICROS);
    }

    @Test
    void commandsOfReferenceSemaphoresReplyAndWriteTheSame() {
        Random random = new Random(1);
        for (int step = 0; step < 400; step++) {
            String member = "m" + random.nextInt(4);
            String set = "set" + random.nextInt(2);
            String score = Integer.toString(random.nextInt(5));
            onBoth(switch (random.nextInt(14)) {
                case 0, 1, 2 -> List.of("ZADD", set, score, member);
                case 3 -> List.of("ZREM", set, member);
                case 4 -> List.of("ZREMRANGEBYSCORE", set, "-inf", score);
                case 5, 6 -> List.of("ZRANK", set, member);
                case 7 -> List.of("ZINTERSTORE", "set0", "2", "set0", "set1", "WEIGHTS", "1", "0");
                case 8 -> List.of("INCR", "counter");
                case 9 -> List.of("SETNX", "lock", member);
                case 10 -> List.of("EXPIRE", "lock", "600");
                case 11 -> List.of("GET", "lock");
                case 12 -> List.of("TTL", set);
                default -> List.of("DEL", random.nextInt(2) == 0 ? "lock" : set);
            });
            assertSameKeys("step " + step);
        }
    }

    private void onBoth(List<String> words) {
        Object expected = values(redis.command(client, words.get(0), words.subList(1, words.size()).toArray()));
        assertThat(values(model.execute(words))).as(words.toString()).isEqualTo(expected);
    }

    private void assertSameKeys(String about) {
        Map<String, Object> real = new TreeMap<>();
        Map<String, Object> modelled = new TreeMap<>();
        for (Response name : redis.command(client, "KEYS", "*")) {
            real.put(name.toString(),
                    contents(values(read(name.toString(), redis.command(client, "TYPE", name.toString()).toString()))));
            assertThat(redis.command(client, "PTTL", name.toString()).toLong() > 0).as(about + ": " + name + " expires")
                    .isEqualTo(model.expiresAt(name.toString()) != RedisModel.NEVER);
        }
        for (String name : model.names()) {
            modelled.put(name, contents(values(content(name))));
        }
        assertThat(modelled).as(about).isEqualTo(real);
    }

    private static Response read(String name, String type) {
        return switch (type) {
            case "string" -> redis.command(client, "GET", name);
            default -> redis.command(client, "ZRANGEBYSCORE", name, "-inf", "+inf", "WITHSCORES");
        };
    }

    private Object content(String name) {
        boolean isText = name.equals("lock") || name.equals("counter");
        return model.execute(isText ? List.of("GET", name)
                : List.of("ZRANGEBYSCORE", name, "-inf", "+inf", "WITHSCORES"));
    }

    /** Replies as strings and lists of strings. */
    private static Object values(Object reply) {
        if (reply instanceof Response response && response.type() == ResponseType.MULTI) {
            return StreamSupport.stream(response.spliterator(), false).map(RedisModelTest::values).toList();
        }
        if (reply instanceof List<?> list) {
            return list.stream().map(RedisModelTest::values).toList();
        }
        return reply == null ? "nil" : reply.toString();
    }

    /**
     * The content of a key: members and scores, or fields and values, sorted; the client may return pairs, and scores as
     * doubles.
     */
    private static Object contents(Object values) {
        if (values instanceof List<?> list) {
            return list.stream().flatMap(each -> each instanceof List<?> pair ? pair.stream() : Stream.of(each))
                    .map(each -> plain(each.toString())).sorted().toList();
        }
        return values;
    }

    private static String plain(String text) {
        return text.matches("[0-9]+\\.[0-9]+(E[0-9]+)?")
                ? new BigDecimal(text).setScale(0, RoundingMode.UNNECESSARY).toPlainString()
                : text;
    }
}
