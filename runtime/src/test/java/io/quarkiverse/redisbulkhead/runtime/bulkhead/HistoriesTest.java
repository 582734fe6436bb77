package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Both halves of the protocol together, on a virtual clock: traps 3, 4, 7, 9 to 12, 20, 21, 29, 47, 49, 50, 52 and 53.
 * {@code -Dmodel.seed=} sets the first seed, {@code -Dmodel.histories=} how many there are.
 */
class HistoriesTest {

    private static final int HISTORIES = Integer.getInteger("model.histories", 20);
    private static final int FIRST = Integer.getInteger("model.seed", 1);
    private static final int STEPS = 250;

    @ParameterizedTest
    @EnumSource(History.Faults.class)
    void nothingIsPromisedTooMuch(History.Faults faults) {
        int granted = 0;
        int lost = 0;
        for (int seed = FIRST; seed < FIRST + HISTORIES; seed++) {
            History history = new History(seed, faults);
            history.run(STEPS);
            granted += history.granted;
            lost += history.lost;
        }
        assertThat(granted).as("calls that got permits").isGreaterThan(HISTORIES * STEPS / 20);
        if (faults == History.Faults.NONE || faults == History.Faults.DELAYS) {
            assertThat(lost).as("losses without faults").isZero();
        }
    }
}
