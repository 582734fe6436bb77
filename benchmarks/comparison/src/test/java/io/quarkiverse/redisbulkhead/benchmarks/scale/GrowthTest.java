package io.quarkiverse.redisbulkhead.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.benchmarks.RedisOfApplication;
import io.quarkiverse.redisbulkhead.benchmarks.SharesInRedis;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.load.RoundFigures;
import io.quarkiverse.redisbulkhead.benchmarks.load.Rounds;
import io.quarkiverse.redisbulkhead.benchmarks.load.Turns;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import redis.clients.jedis.Jedis;

/** Everything that grows can be set up, and leaves nothing. */
@QuarkusTest
@WithTestResource(RedisOfApplication.class)
class GrowthTest {

    private static final Rounds SHORT = new Rounds(1, Duration.ofMillis(20), Duration.ofMillis(1));
    private static final int SIZE = 20;

    @Inject
    BenchmarkEnvironment environment;

    @Test
    void eachContenderIsMeasuredAtEachSize() throws Exception {
        try (Jedis jedis = environment.redis().connect()) {
            for (Growth growth : ScalePart.GROWTHS) {
                for (Kind kind : growth.kinds()) {
                    try (Turns<Integer> turns = new Turns<>()) {
                        growth.add(turns, environment, kind, SIZE);
                        Map<Integer, RoundFigures> figures = turns.measure(environment.redis(), SHORT);
                        assertThat(figures).as(growth.id() + " " + kind).containsOnlyKeys(SIZE);
                        assertThat(figures.get(SIZE).values()).containsOnlyKeys(Measure.values())
                                .allSatisfy((measure, value) -> assertThat(value).as(measure.id()).isNotNegative());
                    }
                    assertThat(SharesInRedis.keysInUse(jedis)).as(growth.id() + " " + kind).isEmpty();
                }
            }
        }
    }

    @Test
    void growthHoldsItsPermits() throws Exception {
        try (Jedis jedis = environment.redis().connect();
                Turns<Integer> turns = new Turns<>()) {
            new HeldPermits().add(turns, environment, Kind.SCRIPT, SIZE);
            new Keys().add(turns, environment, Kind.SCRIPT, SIZE);
            assertThat(SharesInRedis.permits(jedis, "redis-bulkhead:{ample-keyed%:held-script-20}:shares")).isEqualTo(SIZE);
            assertThat(jedis.keys("redis-bulkhead:{ample-keyed%:keys-20-*}:shares")).hasSize(SIZE)
                    .allSatisfy(key -> assertThat(SharesInRedis.permits(jedis, key)).isOne());
        }
    }
}
