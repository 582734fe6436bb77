package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalInt;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/** When a call may come back, as an instance knows it from its own calls. */
class RecentExecutionsTest extends TwoInstances {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("work").permits(1).build();

    private void execution(SemaphoreSpec spec, Duration time) {
        Admission admission = semaphore(one, spec).admit("A#a");
        held(admission);
        advance(time);
        admission.end();
    }

    private Duration untilFree(int permits) {
        return one.engine.untilFree(WORK, permits);
    }

    @Test
    @DisplayName("Trap 42: the more permits, the sooner one becomes free")
    void estimateIsTheMeanDividedByThePermits() {
        assertThat(untilFree(1)).isZero();

        execution(SPEC, Duration.ofSeconds(10));

        assertThat(untilFree(1)).isEqualTo(Duration.ofSeconds(10));
        assertThat(untilFree(5)).isEqualTo(Duration.ofSeconds(2));
        assertThat(one.engine.untilFree(BulkheadId.of("exports"), 1)).isZero();
    }

    @Test
    void recentExecutionsWeighMore() {
        execution(SPEC, Duration.ofSeconds(30));
        for (int i = 0; i < 40; i++) {
            execution(SPEC, Duration.ofSeconds(1));
        }

        assertThat(untilFree(1)).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_300));
    }

    /** Keys share the mean of the bulkhead, and each has its own line. */
    @Test
    void waitingCallsAddToTheEstimate() {
        Semaphore keys = semaphore(one, SPEC.toBuilder().maxWait(LONG).build());
        Admission holder = keys.forKey("acme", OptionalInt.empty()).admit("A#a");
        advance(Duration.ofSeconds(1));
        holder.end();
        held(keys.forKey("acme", OptionalInt.empty()).admit("A#a"));
        waits(keys.forKey("acme", OptionalInt.empty()).admit("A#a"));

        assertThat(one.engine.untilFree(WORK.forKey("acme"), 1)).isEqualTo(Duration.ofSeconds(2));
        assertThat(one.engine.untilFree(WORK.forKey("other"), 1)).isEqualTo(Duration.ofSeconds(1));
    }

    /** Other instances hold the permits, or executions hang. */
    @Test
    void estimateGrowsWhileNoCallGetsAPermit() {
        Admission elsewhere = semaphore(two, SPEC).admit("B#b");
        rejection(semaphore(one, SPEC).admit("A#a"));
        assertThat(untilFree(1)).isZero();
        advance(Duration.ofSeconds(8));
        rejection(semaphore(one, SPEC).admit("A#a"));
        assertThat(untilFree(1)).isEqualTo(Duration.ofSeconds(8));

        elsewhere.end();
        held(semaphore(one, SPEC).admit("A#a"));
        assertThat(untilFree(1)).isZero();
    }

    @Test
    void oldRejectionsAreIgnored() {
        semaphore(two, SPEC).admit("B#b");
        rejection(semaphore(one, SPEC).admit("A#a"));
        advance(Duration.ofHours(1));
        rejection(semaphore(one, SPEC).admit("A#a"));

        assertThat(untilFree(1)).isZero();
    }

    /** Names may be generated at run time. */
    @Test
    void numberOfNamesIsBounded() {
        for (int i = 0; i < 1_000; i++) {
            one.engine.untilFree(BulkheadId.of("order-" + i), 1);
        }
        execution(SemaphoreSpec.named("another").permits(1).build(), Duration.ofSeconds(7));

        assertThat(one.engine.untilFree(BulkheadId.of("order-1"), 1)).isZero();
        assertThat(one.engine.untilFree(BulkheadId.of("one more"), 1)).isEqualTo(Duration.ofSeconds(7));
    }
}
