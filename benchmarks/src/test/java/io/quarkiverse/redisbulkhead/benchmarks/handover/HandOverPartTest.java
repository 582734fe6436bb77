package io.quarkiverse.redisbulkhead.benchmarks.handover;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Surroundings;

/** Two processes hand a permit to and fro. */
class HandOverPartTest {

    @Test
    void everyHandOverAfterTheWarmUpCounts() throws Exception {
        Figures figures = new Figures();
        try (Surroundings surroundings = Surroundings.start()) {
            new HandOverPart(5, 10).run(surroundings, figures);
        }
        // The last one of the other process is given back to nobody.
        assertThat(figures.number(HandOverPart.NEXT_WAITER + ".count")).hasValue(19);
        assertThat(figures.number(HandOverPart.NEXT_WAITER + ".p50").orElseThrow()).isPositive();
        assertThat(figures.number(HandOverPart.ROUND_TRIP + ".p50").orElseThrow()).isPositive();
    }
}
