package io.quarkiverse.redisbulkhead.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.benchmarks.RedisOfApplication;
import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisReading;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import redis.clients.jedis.Jedis;

/**
 * What a pair asks of Redis when there are no other callers. Times differ from machine to machine; these numbers do not, so
 * they show in each build when a pair begins to cost more. Where it costs less, lower them.
 */
@QuarkusTest
@WithTestResource(RedisOfApplication.class)
class CommandsPerPairTest {

    private static final int PAIRS = 200;

    // What comes now and then, such as a PING of the client, is less than one for each pair.
    private static final double NOW_AND_THEN = 0.1;

    // A caller does not wait for the answer to its return, so its next need may share the statement.
    private static final double ALL_SHARED = 0.5;

    // A process that stands still for longer than a step of the lock store may take begins that step again.
    private static final int ATTEMPTS = 3;

    @Inject
    BenchmarkEnvironment environment;

    @ParameterizedTest
    @CsvSource({ "SCRIPT, 0, 0", "SCRIPT_FAIR, 0, 0", "SCRIPT_RETURNING, 2, 12", "SCRIPT_FAIR_RETURNING, 2, 12",
            "LOCK, 0, 0", "LOCAL, 0, 0", "PINGS, 2, 2" })
    void pairSendsTheExpectedCommands(Kind kind, int calls, int commands) throws Exception {
        try (Contender contender = kind.open(environment, Limit.ample(kind.id()), 1);
                BlockingCaller caller = contender.newBlockingCaller();
                Jedis jedis = environment.redis().connect()) {
            // Connects, and makes the scripts known.
            makePairs(caller, 10);
            RedisReading cost = costOfPairs(caller, jedis);
            for (int attempt = 1; attempt < ATTEMPTS && isMore(cost, calls, commands); attempt++) {
                cost = costOfPairs(caller, jedis);
            }

            assertThat((double) cost.callsFromNetwork() / PAIRS).as("calls over the network for a pair: %s", cost.calls())
                    .isBetween(ALL_SHARED * calls, calls + NOW_AND_THEN);
            assertThat((double) cost.commands() / PAIRS).as("commands for a pair: %s", cost.calls())
                    .isBetween(ALL_SHARED * commands, commands + NOW_AND_THEN);
        }
    }

    private static RedisReading costOfPairs(BlockingCaller caller, Jedis jedis) throws Exception {
        RedisReading before = RedisReading.of(jedis);
        makePairs(caller, PAIRS);
        return RedisReading.of(jedis).since(before);
    }

    private static boolean isMore(RedisReading cost, int calls, int commands) {
        return cost.callsFromNetwork() > (calls + NOW_AND_THEN) * PAIRS || cost.commands() > (commands + NOW_AND_THEN) * PAIRS;
    }

    private static void makePairs(BlockingCaller caller, int pairs) throws Exception {
        for (int pair = 0; pair < pairs; pair++) {
            caller.pair(() -> {
            });
        }
    }
}
