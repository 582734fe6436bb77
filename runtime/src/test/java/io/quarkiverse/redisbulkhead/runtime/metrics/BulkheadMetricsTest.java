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
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse.Taker;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

class BulkheadMetricsTest {

    static final BulkheadId REPORTS = BulkheadId.of("reports");

    final MockClock clock = new MockClock();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    final BulkheadMetrics series = new BulkheadMetrics(registry, Set.of("reports", "late"), false);
    final BulkheadMetrics withKeys = new BulkheadMetrics(registry, Set.of("reports"), true);

    @Test
    void waitingAndRunningCallsAreMeasured() {
        CallListener call = begin();
        assertThat(gauge("redis.bulkhead.executions.waiting")).isZero();
        call.waiting();
        assertThat(gauge("redis.bulkhead.executions.waiting")).isEqualTo(1);
        assertThat(gauge("redis.bulkhead.executions.running")).isZero();
        clock.add(Duration.ofMillis(300));
        call.acquired(CallResult.ACCEPTED, null);
        assertThat(gauge("redis.bulkhead.executions.waiting")).isZero();
        assertThat(gauge("redis.bulkhead.executions.running")).isEqualTo(1);
        call.released(Duration.ofMillis(500).toNanos());

        assertThat(gauge("redis.bulkhead.executions.running")).isZero();
        assertThat(milliseconds("redis.bulkhead.waiting.duration")).containsExactly(1.0, 300.0);
        assertThat(milliseconds("redis.bulkhead.running.duration")).containsExactly(1.0, 500.0);
        assertThat(calls("accepted")).isEqualTo(1);
    }

    /** The many immediate rejections would hide long waits. */
    @Test
    void waitingTimeExcludesImmediateRejections() {
        for (CallResult result : CallResult.values()) {
            decide(begin(), result);
        }
        assertThat(milliseconds("redis.bulkhead.waiting.duration")).as("accepted and bypassed").containsExactly(2.0, 0.0);
        CallListener waited = begin();
        waited.waiting();
        clock.add(Duration.ofSeconds(1));
        waited.rejected(CallResult.TIMED_OUT);

        assertThat(milliseconds("redis.bulkhead.waiting.duration")).containsExactly(3.0, 1_000.0);
        assertThat(milliseconds("redis.bulkhead.running.duration")).containsExactly(0.0, 0.0);
    }

    /** Keys of different bulkheads would be mixed, and unbounded. */
    @Test
    void sharedSeriesHasNoKeys() {
        assertThat(withKeys.meters(BulkheadId.of("made").forKey("acme"), "A#a"))
                .isSameAs(withKeys.meters(BulkheadId.of("made-too").forKey("others"), "A#a"));
        assertThat(tagValues("key")).containsExactly("");
    }

    @Test
    void droppedPermitsAreCounted() {
        series.onCall(REPORTS, "A#a", 1);
        assertThat(registry.get("redis.bulkhead.permits.leaked").tags("bulkhead", "reports").counter().count()).isZero();
        series.leaked(new PermitInUse(REPORTS, "id", "A#a", new Taker("main", ""), Duration.ZERO, Duration.ZERO));

        assertThat(registry.get("redis.bulkhead.permits.leaked").tags("bulkhead", "reports").counter().count()).isOne();
    }

    @Test
    void weightsAreAdded() {
        CallListener heavy = series.onCall(REPORTS, "A#a", 2_000);
        heavy.requested();
        heavy.acquired(CallResult.ACCEPTED, null);
        begin().acquired(CallResult.ACCEPTED, null);
        assertThat(gauge("redis.bulkhead.executions.weight")).isEqualTo(2_001);
        heavy.released(1);

        assertThat(gauge("redis.bulkhead.executions.weight")).isOne();
    }

    @Test
    void keysAreBounded() {
        for (int i = 0; i < BulkheadMetrics.MOST_KEYS + 5; i++) {
            withKeys.renewalFailed(REPORTS.forKey("key-" + i), 1, null);
        }
        withKeys.renewalFailed(REPORTS.forKey("x".repeat(1_000)), 1, null);

        assertThat(tagValues("key")).hasSize(BulkheadMetrics.MOST_KEYS + 1).contains("other");
    }

    /** A registry outlives the applications that tests start one after another. */
    @Test
    void gaugesAreRemovedWithTheApplication() {
        begin().acquired(CallResult.ACCEPTED, null);
        series.end();
        assertThat(series.onCall(REPORTS, "A#b", 1)).isSameAs(CallListener.NONE);
        assertThat(registry.find("redis.bulkhead.executions.running").gauges()).isEmpty();
        new BulkheadMetrics(registry, Set.of("reports"), false).meters(REPORTS, "A#a");

        assertThat(gauge("redis.bulkhead.executions.running")).isZero();
    }

    private CallListener begin() {
        CallListener call = series.onCall(REPORTS, "A#a", 1);
        call.requested();
        return call;
    }

    private static void decide(CallListener call, CallResult result) {
        if (result == CallResult.ACCEPTED || result == CallResult.BYPASSED) {
            call.acquired(result, null);
        } else {
            call.rejected(result);
        }
    }

    private double gauge(String name) {
        return registry.get(name).tags("bulkhead", "reports", "method", "A#a").gauge().value();
    }

    private double calls(String result) {
        return registry.get("redis.bulkhead.calls")
                .tags("bulkhead", "reports", "method", "A#a", "result", result).counter().count();
    }

    private List<Double> milliseconds(String name) {
        Timer timer = registry.get(name).tags("bulkhead", "reports", "method", "A#a").timer();
        return List.of((double) timer.count(), timer.totalTime(TimeUnit.MILLISECONDS));
    }

    private Set<String> tagValues(String key) {
        return registry.getMeters().stream().map(Meter::getId).map(id -> id.getTag(key)).collect(Collectors.toSet());
    }
}
