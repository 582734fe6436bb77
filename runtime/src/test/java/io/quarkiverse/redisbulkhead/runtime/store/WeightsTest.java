package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeightsTest {

    @ParameterizedTest
    @CsvSource({ "a, 1", "3*a, 1", "*3*a, 3", "*1000*a, 1000", "*1001*a, 1000", "*9999*a, 1000", "*0*a, 1", "*10000*a, 1",
            "*3, 1",
            "*a*b, 1", "**a, 1", "*-3*a, 1", "*3*, 3", "*3*a 2, 1" })
    void idContainsTheWeight(String id, int weight) {
        assertThat(Weights.of(id)).isEqualTo(weight);
    }

    @Test
    void emptyTextHasWeightOne() {
        assertThat(Weights.of("")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 10, 999, 1_000 })
    void numberOfEntriesEqualsTheWeight(int weight) {
        String id = Weights.id(weight, "a");

        assertThat(Weights.of(id)).isEqualTo(weight);
        assertThat(Weights.entries(id)).hasSize(weight).doesNotHaveDuplicates().startsWith(id)
                .allMatch(entry -> Weights.permitOf(entry).equals(id))
                .allMatch(entry -> Weights.isFurther(entry) != entry.equals(id));
    }

    @Test
    void weightOneDoesNotChangeTheId() {
        assertThat(Weights.id(1, "a")).isEqualTo("a");
        assertThat(Weights.entries("a")).containsExactly("a");
    }
}
