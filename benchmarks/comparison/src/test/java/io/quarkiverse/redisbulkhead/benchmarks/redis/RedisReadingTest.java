package io.quarkiverse.redisbulkhead.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.Jedis;

/** Commands are counted, and told apart by who sent them. */
class RedisReadingTest {

    private static RedisServerProcess server;

    @BeforeAll
    static void start() throws Exception {
        server = RedisServerProcess.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void commandsOfScriptsDidNotComeOverTheNetwork() {
        try (Jedis jedis = server.connect()) {
            jedis.ping();
            RedisReading before = RedisReading.of(jedis);
            jedis.eval("redis.call('SET', KEYS[1], 1) return redis.call('GET', KEYS[1])", 1, "key");
            jedis.ping();
            RedisReading since = RedisReading.of(jedis).since(before);

            assertThat(since.calls()).isEqualTo(Map.of("eval", 1L, "set", 1L, "get", 1L, "ping", 1L));
            assertThat(since.commands()).isEqualTo(4);
            assertThat(since.callsFromNetwork()).isEqualTo(2);
        }
    }

    @Test
    void withoutScriptsAllCommandsCameOverTheNetwork() {
        try (Jedis jedis = server.connect()) {
            RedisReading before = RedisReading.of(jedis);
            jedis.set("key", "value");
            jedis.get("key");

            assertThat(RedisReading.of(jedis).since(before).callsFromNetwork()).isEqualTo(2);
        }
    }

    @Test
    void theProcessorTimeGrows() {
        try (Jedis jedis = server.connect()) {
            RedisReading before = RedisReading.of(jedis);
            jedis.eval("local sum = 0 for i = 1, 1000000 do sum = sum + i end return sum");

            assertThat(RedisReading.of(jedis).since(before).cpuMicros()).isPositive();
        }
    }
}
