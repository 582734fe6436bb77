package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

class ShrinkerTest {

    @Test
    void keepsTheStepsThatMatter() {
        List<Integer> history = IntStream.range(0, 200).boxed().toList();

        List<Integer> shrunk = Shrinker.shrink(history, steps -> steps.containsAll(List.of(3, 77, 78, 199)));

        assertThat(shrunk).containsExactly(3, 77, 78, 199);
    }

    @Test
    void mayEndWithASingleStep() {
        assertThat(Shrinker.shrink(List.of(1, 2, 3), steps -> steps.contains(1))).containsExactly(1);
    }
}
