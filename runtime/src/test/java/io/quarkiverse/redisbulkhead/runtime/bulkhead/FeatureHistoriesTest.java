package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code -Dmodel.seed=} sets the first seed, {@code -Dmodel.histories=} how many there are. */
class FeatureHistoriesTest {

    private static final int HISTORIES = Integer.getInteger("model.histories", 20);
    private static final int FIRST = Integer.getInteger("model.seed", 1);

    @ParameterizedTest
    @EnumSource(FeatureHistory.Circumstances.class)
    void nothingIsPromisedTooMuch(FeatureHistory.Circumstances kind) {
        org.junit.jupiter.api.Assumptions.assumeTrue(System.getProperty("model.kind", kind.name()).equals(kind.name()));
        int granted = 0;
        int settled = 0;
        java.util.List<String> failures = new java.util.ArrayList<>();
        for (int seed = FIRST; seed < FIRST + HISTORIES; seed++) {
            FeatureHistory history = new FeatureHistory(seed, kind);
            try {
                history.run(250);
            } catch (AssertionError e) {
                failures.add(e.getMessage().lines().limit(1).toList() + " " + e.getCause().getMessage().replace('\n', ' '));
                if (Integer.getInteger("model.histories", 20) == 1) {
                    throw e;
                }
            }
            granted += history.granted;
            settled += history.settled;
        }
        System.out.println(kind + ": " + granted + " granted, " + settled + " settled, " + failures.size() + " failures");
        failures.stream().limit(25).forEach(System.out::println);
        assertThat(failures).isEmpty();
    }
}
