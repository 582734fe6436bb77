package io.quarkiverse.redisbulkhead.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.semaphore.CallListener;
import io.quarkiverse.redisbulkhead.runtime.semaphore.CallResult;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

class CallSeriesTest {

    static final BulkheadId REPORTS = BulkheadId.of("reports");

    final MockClock clock = new MockClock();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    final CallSeries series = new CallSeries(registry, Set.of("reports", "late")::contains, false);
    final CallSeries withKeys = new CallSeries(registry, Set.of("reports")::contains, true);

    @Test
    void aCallThatWaitsAndRuns() {
        CallListener call = begin();
        assertThat(gauge("redis.bulkhead.executionsWaiting")).isZero();
        call.waiting();
        assertThat(gauge("redis.bulkhead.executionsWaiting")).isEqualTo(1);
        assertThat(gauge("redis.bulkhead.executionsRunning")).isZero();
        clock.add(Duration.ofMillis(300));
        call.acquired(CallResult.ACCEPTED, 7);
        assertThat(gauge("redis.bulkhead.executionsWaiting")).isZero();
        assertThat(gauge("redis.bulkhead.executionsRunning")).isEqualTo(1);
        clock.add(Duration.ofMillis(500));
        call.released();

        assertThat(gauge("redis.bulkhead.executionsRunning")).isZero();
        assertThat(milliseconds("redis.bulkhead.waitingDuration")).containsExactly(1.0, 300.0);
        assertThat(milliseconds("redis.bulkhead.runningDuration")).containsExactly(1.0, 500.0);
        assertThat(calls("accepted")).isEqualTo(1);
    }

    @Test
    void eachResultIsCounted() {
        for (CallResult result : CallResult.values()) {
            decide(begin(), result);
        }

        assertThat(List.of("accepted", "bypassed", "full", "timedOut", "queueFull", "contended", "unavailable", "cancelled"))
                .allSatisfy(result -> assertThat(calls(result)).isEqualTo(1));
        assertThat(registry.find("redis.bulkhead.calls.total").counters()).hasSize(8);
    }

    /** Immediate rejections would hide long waits. */
    @Test
    void theTimeCountsOfThoseWhoWaitedOrRun() {
        for (CallResult result : CallResult.values()) {
            decide(begin(), result);
        }
        assertThat(milliseconds("redis.bulkhead.waitingDuration")).as("accepted and bypassed").containsExactly(2.0, 0.0);
        CallListener waited = begin();
        waited.waiting();
        clock.add(Duration.ofSeconds(1));
        waited.rejected(CallResult.TIMED_OUT);

        assertThat(milliseconds("redis.bulkhead.waitingDuration")).containsExactly(3.0, 1_000.0);
        assertThat(milliseconds("redis.bulkhead.runningDuration")).containsExactly(0.0, 0.0);
    }

    @Test
    void metersAreLookedUpOnce() {
        assertThat(series.calls(REPORTS, "A#a")).isSameAs(series.calls(REPORTS.forKey("acme"), new String("A#a")))
                .isNotSameAs(series.calls(REPORTS, "A#b")).isNotSameAs(series.calls(BulkheadId.of("late"), "A#a"));
    }

    @Test
    void namesAreBoundedAndDeclaredOnesAreNot() {
        for (int i = 0; i < 150; i++) {
            series.calls(BulkheadId.of("made-" + i), "A#a").newCall();
        }
        series.calls(BulkheadId.of("late"), "A#a");

        assertThat(tagValues("bulkhead")).hasSize(102).contains("other", "late", "made-99").doesNotContain("made-100");
        assertThat(series.calls(BulkheadId.of("made-120"), "A#a")).isSameAs(series.calls(BulkheadId.of("made-130"), "A#a"));
        series.permitsLost(BulkheadId.of("made-140"), PermitLost.Reason.REVOKED).increment();
        assertThat(tagValues("bulkhead")).hasSize(102);
    }

    @Test
    void keysAreNoTag() {
        series.calls(REPORTS.forKey("acme"), "A#a");
        series.renewalsFailed(REPORTS.forKey("acme")).increment();
        series.permitsLost(REPORTS.forKey("acme"), PermitLost.Reason.MAX_HOLD).increment();

        assertThat(registry.getMeters()).noneMatch(meter -> meter.getId().getTag("key") != null);
    }

    @Test
    void keysAreATagWhereTheyAreAskedFor() {
        withKeys.calls(REPORTS.forKey("acme"), "A#a");
        withKeys.calls(REPORTS, "A#a");
        withKeys.renewalsFailed(REPORTS.forKey("acme")).increment();
        withKeys.permitsLost(REPORTS.forKey("acme"), PermitLost.Reason.MAX_HOLD).increment();

        assertThat(registry.getMeters()).allMatch(meter -> meter.getId().getTag("key") != null);
        assertThat(tagValues("key")).containsExactlyInAnyOrder("acme", "");
    }

    @Test
    void keysAreBounded() {
        for (int i = 0; i < CallSeries.MOST_KEYS + 5; i++) {
            withKeys.renewalsFailed(REPORTS.forKey("key-" + i));
        }
        withKeys.renewalsFailed(REPORTS.forKey("x".repeat(1_000)));

        assertThat(tagValues("key")).hasSize(CallSeries.MOST_KEYS + 1).contains("other");
    }

    /** Registries of a process outlive the applications that tests start one after the other. */
    @Test
    void gaugesGoWithTheApplication() {
        begin().acquired(CallResult.ACCEPTED, 7);
        series.close();
        assertThat(registry.find("redis.bulkhead.executionsRunning").gauges()).isEmpty();
        new CallSeries(registry, Set.of("reports")::contains, false).calls(REPORTS, "A#a");

        assertThat(gauge("redis.bulkhead.executionsRunning")).isZero();
    }

    private CallListener begin() {
        CallListener call = series.calls(REPORTS, "A#a").newCall();
        call.requested();
        return call;
    }

    private static void decide(CallListener call, CallResult result) {
        if (result == CallResult.ACCEPTED || result == CallResult.BYPASSED) {
            call.acquired(result, 0);
        } else {
            call.rejected(result);
        }
    }

    private double gauge(String name) {
        return registry.get(name).tags("bulkhead", "reports", "method", "A#a").gauge().value();
    }

    private double calls(String result) {
        return registry.get("redis.bulkhead.calls.total")
                .tags("bulkhead", "reports", "method", "A#a", "bulkheadResult", result).counter().count();
    }

    private List<Double> milliseconds(String name) {
        Timer timer = registry.get(name).tags("bulkhead", "reports", "method", "A#a").timer();
        return List.of((double) timer.count(), timer.totalTime(TimeUnit.MILLISECONDS));
    }

    private Set<String> tagValues(String key) {
        return registry.getMeters().stream().map(Meter::getId).map(id -> id.getTag(key)).collect(Collectors.toSet());
    }
}
