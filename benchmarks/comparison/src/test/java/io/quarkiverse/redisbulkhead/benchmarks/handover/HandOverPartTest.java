package io.quarkiverse.redisbulkhead.benchmarks.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.RedisOfApplication;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;

/** Two threads, and two processes, hand a permit to and fro; two instances use it in turn. */
@QuarkusTest
@WithTestResource(RedisOfApplication.class)
class HandOverPartTest {

    @Inject
    BenchmarkEnvironment environment;

    @Test
    void everyHandOverAfterTheWarmUpCounts() throws Exception {
        Figures figures = new Figures();
        new HandOverPart(5, 10, 4, 6, Duration.ofMillis(1)).run(environment, figures);
        for (String handOver : List.of(HandOverPart.SAME_PROCESS, HandOverPart.NEXT_WAITER)) {
            // At the end of the last one no caller waits.
            assertThat(figures.number(handOver + ".count")).hasValue(19);
            assertThat(figures.number(handOver + ".p50").orElseThrow()).isPositive();
        }
        assertThat(figures.number(HandOverPart.IN_TURN + ".count")).hasValue(6);
        assertThat(figures.number(HandOverPart.PACED_ROUND_TRIP + ".count")).hasValue(6);
        assertThat(figures.number(HandOverPart.ROUND_TRIP + ".p50").orElseThrow()).isPositive();
    }
}
