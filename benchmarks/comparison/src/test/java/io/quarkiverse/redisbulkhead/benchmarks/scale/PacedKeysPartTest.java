package io.quarkiverse.redisbulkhead.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.RedisOfApplication;
import io.quarkiverse.redisbulkhead.benchmarks.ShortRounds;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;

/** Callers make pairs at a pace. */
@QuarkusTest
@WithTestResource(RedisOfApplication.class)
@ExtendWith(ShortRounds.class)
class PacedKeysPartTest {

    private static final int KEYS = 2_000;

    @Inject
    BenchmarkEnvironment environment;

    @Test
    void noKeyIsCalledMoreOften() throws Exception {
        Figures figures = new Figures();
        new PacedKeysPart(KEYS).run(environment, figures);
        assertThat(PacedKeysPart.PERIODS).allSatisfy(period -> {
            double pace = KEYS * 1_000.0 / period.toMillis();
            // Each of 64 callers may have one more under way when the round ends.
            assertThat(figures.number(PacedKeysPart.name(period, Measure.PAIRS_PER_SECOND)).orElseThrow())
                    .isBetween(1.0, pace + 64 * 5 + 5);
        });
    }
}
