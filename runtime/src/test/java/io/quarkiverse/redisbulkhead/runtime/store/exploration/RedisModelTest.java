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

import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.LuaEngine;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Explorations rely on the Redis model and the Lua engine: random histories must give the same replies and keys as on a real
 * Redis.
 */
class RedisModelTest {

    private static final String CLOCK = "test:clock";
    private static final String PUBLISHED = "test:published";
    private static final int HISTORIES = 20;
    private static final int STEPS = 40;
    private static final int[] STEPS_OF_TIME = { 0, 0, 1, 300, 5_000, 10_000, 61_000, -20_000 };
    // The first ones leave most leases unchanged.
    private static final int CALM = 4;

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
        model = new RedisModel(BulkheadView.NOW * 1000);
    }

    @Test
    void scriptsReplyAndWriteTheSame() {
        LuaEngine lua = new LuaEngine();
        for (int seed = 1; seed <= HISTORIES; seed++) {
            forgetAll();
            Random random = new Random(seed);
            long millis = BulkheadView.NOW;
            int most = seed % 2 == 0 ? STEPS_OF_TIME.length : CALM;
            for (int step = 0; step < STEPS; step++) {
                millis += STEPS_OF_TIME[random.nextInt(most)];
                onBoth(List.of("SET", CLOCK, Long.toString(millis)));
                String name = List.of("batch", "batch", "batch", "poll", "revoke", "resize", "look").get(random.nextInt(7));
                List<String> args = args(name, random);
                String text = name.equals("look") ? withClock(ScriptTexts.of(name))
                        : deterministic(ScriptTexts.of("bulkhead"));
                Object expected = values(redis.command(client, "EVAL",
                        Stream.of(List.of(text, Integer.toString(BulkheadView.NAMES.size())), BulkheadView.NAMES, args)
                                .flatMap(List::stream).toArray()));
                String about = "seed " + seed + ", step " + step + ": " + name + " " + args;
                assertThat(values(lua.run(model, text, BulkheadView.NAMES, args))).as(about).isEqualTo(expected);
                assertSameKeys(about);
            }
        }
    }

    private static List<String> args(String script, Random random) {
        String id = (random.nextInt(4) == 0 ? "*2*p" : "p") + random.nextInt(8);
        String heavy = id.startsWith("*") ? "1" : "0";
        return switch (script) {
            case "batch" -> BatchedCalls.random(random, random.nextBoolean(), 1 + random.nextInt(4)).arguments();
            case "poll" ->
                List.of("me", "0", heavy, "poll", List.of("300", "5000", "10000", "30000").get(random.nextInt(4)), "2", "1",
                        id);
            case "resize" -> List.of("me", "0", heavy, "resize", Integer.toString(random.nextInt(4)));
            case "look" -> random.nextBoolean() ? List.of("occupancy", "2") : List.of("own", "mail", "0", "2");
            default -> List.of("me", "0", heavy, "revoke", id);
        };
    }

    /** Reads the time from a key. */
    private static String withClock(String text) {
        return replaced(replaced(text, "redis.call('TIME')", "{ redis.call('GET', '" + CLOCK + "'), 0 }"),
                "tonumber(time[1]) * 1000000", "tonumber(time[1]) * 1000");
    }

    /** Also writes published messages to a key, and disables randomness and expiry. */
    private static String deterministic(String text) {
        String lasting = replaced(withClock(text), "local SLACK = 1000\n", "local SLACK = 3600000\n");
        return replaced(replaced(lasting, "call('HRANDFIELD', STATE, 16, 'WITHVALUES')", "call('HGETALL', STATE)"),
                "redis.pcall('PUBLISH', process, text)", "redis.call('SET', '" + PUBLISHED + "', process .. text)");
    }

    private static String replaced(String text, String part, String instead) {
        assertThat(text).contains(part);
        return text.replace(part, instead);
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
            case "hash" -> redis.command(client, "HGETALL", name);
            default -> redis.command(client, "ZRANGEBYSCORE", name, "-inf", "+inf", "WITHSCORES");
        };
    }

    private Object content(String name) {
        if (name.endsWith(":state")) {
            return model.execute(List.of("HGETALL", name));
        }
        boolean isText = name.startsWith("test:") || name.equals("lock") || name.equals("counter");
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
