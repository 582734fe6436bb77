package io.quarkiverse.redisbulkhead.benchmarks.instances;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.RedisOfApplication;
import io.quarkiverse.redisbulkhead.benchmarks.ShortRounds;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import redis.clients.jedis.Jedis;

/** Other processes make pairs. */
@QuarkusTest
@WithTestResource(RedisOfApplication.class)
@ExtendWith(ShortRounds.class)
class InstancesPartTest {

    @Inject
    BenchmarkEnvironment environment;

    @Test
    void twoProcessesMakePairsAndLeaveNothing() throws Exception {
        Figures figures = new Figures();
        new InstancesPart(3).run(environment, figures);
        for (Kind kind : InstancesPart.KINDS) {
            assertThat(figures.number(InstancesPart.name(kind, Measure.PAIRS_PER_SECOND)).orElseThrow()).as(kind.id())
                    .isPositive();
        }
        assertThat(keys()).isEmpty();
    }

    private Set<String> keys() {
        try (Jedis jedis = environment.redis().connect()) {
            return jedis.keys("*two-instances*");
        }
    }
}
