package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

class RecentExecutionsTest {

    private static final BulkheadId REPORTS = BulkheadId.of("reports");

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    private final RecentExecutions executions = new RecentExecutions(clock::get);

    private CallListener request(BulkheadId bulkhead) {
        CallListener call = executions.onCall(bulkhead, "Reports#render");
        call.requested();
        return call;
    }

    private void execution(BulkheadId bulkhead, Duration time) {
        CallListener call = request(bulkhead);
        call.acquired(CallResult.ACCEPTED, 1);
        pass(time);
        call.released(time.toNanos());
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void estimateIsZeroAtFirst() {
        assertThat(executions.untilFree(REPORTS, 5)).isZero();
    }

    @Test
    @DisplayName("Trap 42: the more permits, the sooner one becomes free")
    void estimateIsTheMeanDividedByThePermits() {
        execution(REPORTS, Duration.ofSeconds(10));

        assertThat(executions.untilFree(REPORTS, 1)).isEqualTo(Duration.ofSeconds(10));
        assertThat(executions.untilFree(REPORTS, 5)).isEqualTo(Duration.ofSeconds(2));
        assertThat(executions.untilFree(BulkheadId.of("exports"), 1)).isZero();
    }

    @Test
    void recentExecutionsWeighMore() {
        execution(REPORTS, Duration.ofSeconds(30));
        for (int i = 0; i < 40; i++) {
            execution(REPORTS, Duration.ofSeconds(1));
        }

        assertThat(executions.untilFree(REPORTS, 1)).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_300));
    }

    @Test
    void waitingCallsAddToTheEstimate() {
        execution(REPORTS, Duration.ofSeconds(1));
        CallListener first = request(REPORTS);
        first.waiting();
        CallListener second = request(REPORTS);
        second.waiting();
        assertThat(executions.untilFree(REPORTS, 1)).isEqualTo(Duration.ofSeconds(3));

        second.waited();
        second.rejected(CallResult.CANCELLED);
        assertThat(executions.untilFree(REPORTS, 1)).isEqualTo(Duration.ofSeconds(2));
        first.waited();
        first.acquired(CallResult.ACCEPTED, 1);
        assertThat(executions.untilFree(REPORTS, 1)).isEqualTo(Duration.ofSeconds(1));
    }

    /** Keys share the mean of the bulkhead. */
    @Test
    void waitingCallsOfAnotherKeyDoNotCount() {
        execution(REPORTS.forKey("acme"), Duration.ofSeconds(1));
        request(REPORTS.forKey("acme")).waiting();

        assertThat(executions.untilFree(REPORTS.forKey("acme"), 1)).isEqualTo(Duration.ofSeconds(2));
        assertThat(executions.untilFree(REPORTS.forKey("other"), 1)).isEqualTo(Duration.ofSeconds(1));
    }

    /** Other processes hold the permits, or local executions hang. */
    @Test
    void estimateGrowsWhileNoCallGetsAPermit() {
        request(REPORTS).rejected(CallResult.FULL);
        assertThat(executions.untilFree(REPORTS, 1)).isZero();
        pass(Duration.ofSeconds(8));
        request(REPORTS).rejected(CallResult.TIMED_OUT);
        assertThat(executions.untilFree(REPORTS, 1)).isEqualTo(Duration.ofSeconds(8));

        CallListener holder = request(REPORTS);
        holder.acquired(CallResult.ACCEPTED, 1);
        assertThat(executions.untilFree(REPORTS, 1)).isZero();
    }

    @Test
    void oldRejectionsAreIgnored() {
        request(REPORTS).rejected(CallResult.FULL);
        pass(Duration.ofHours(1));
        request(REPORTS).rejected(CallResult.FULL);

        assertThat(executions.untilFree(REPORTS, 1)).isZero();
    }

    @Test
    void outageDoesNotAffectTheEstimate() {
        request(REPORTS).rejected(CallResult.UNAVAILABLE);
        pass(Duration.ofSeconds(8));

        assertThat(executions.untilFree(REPORTS, 1)).isZero();
    }

    /** Names may be generated at runtime. */
    @Test
    void numberOfNamesIsBounded() {
        for (int i = 0; i < RecentExecutions.MOST_NAMES; i++) {
            execution(BulkheadId.of("order-" + i), Duration.ofSeconds(1));
        }
        execution(BulkheadId.of("another"), Duration.ofSeconds(7));

        assertThat(executions.untilFree(BulkheadId.of("order-1"), 1)).isEqualTo(Duration.ofSeconds(1));
        assertThat(executions.untilFree(BulkheadId.of("one more"), 1)).isEqualTo(Duration.ofSeconds(7));
    }
}
