package io.quarkiverse.redisbulkhead.runtime.observation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;

class BoundedLabelsTest {

    final BoundedLabels labels = new BoundedLabels(text -> text.startsWith("declared"), 2);

    @Test
    void labelsAreBounded() {
        assertThat(labels.of("a")).isEqualTo("a");
        assertThat(labels.of("a")).isEqualTo("a");
        assertThat(labels.of("b")).isEqualTo("b");
        assertThat(labels.of("c")).isEqualTo("other");
        assertThat(labels.of("a")).isEqualTo("a");
        assertThat(labels.of("c")).isEqualTo("other");
    }

    @Test
    void declaredLabelsAreUnbounded() {
        for (int i = 0; i < 10; i++) {
            assertThat(labels.of("declared" + i)).isEqualTo("declared" + i);
        }
        labelsAreBounded();
        assertThat(labels.of("declared late")).isEqualTo("declared late");
    }

    @Test
    void longTextsAreNotLabels() {
        assertThat(labels.of("x".repeat(BoundedLabels.MAX_LENGTH))).startsWith("x");
        assertThat(labels.of("x".repeat(BoundedLabels.MAX_LENGTH + 1))).isEqualTo("other");
        assertThat(labels.of("a")).isEqualTo("a");
    }

    @Test
    void constantsBecomeLabels() {
        assertThat(ConstantLabels.of(CallResult.FULL)).isEqualTo("full");
        assertThat(ConstantLabels.of(CallResult.TIMED_OUT)).isEqualTo("timedOut");
    }
}
