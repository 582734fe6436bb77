package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Features of the engine that meet in generated histories, on a virtual clock: weights, limits per call, holds, leases,
 * attaching, awaited releases, revoking, outages and stops. {@code -Dmodel.seed=} sets the first seed,
 * {@code -Dmodel.histories=} how many there are.
 */
class FeatureHistoriesTest {

    private static final int HISTORIES = Integer.getInteger("model.histories", 20);
    private static final int FIRST = Integer.getInteger("model.seed", 1);
    private static final int STEPS = 250;

    @ParameterizedTest
    @EnumSource(FeatureHistory.Circumstances.class)
    void nothingIsPromisedTooMuch(FeatureHistory.Circumstances circumstances) {
        int granted = 0;
        for (int seed = FIRST; seed < FIRST + HISTORIES; seed++) {
            FeatureHistory history = new FeatureHistory(seed, circumstances);
            history.run(STEPS);
            granted += history.granted;
        }
        assertThat(granted).as("calls that got permits").isGreaterThan(HISTORIES * STEPS / 20);
    }
}
