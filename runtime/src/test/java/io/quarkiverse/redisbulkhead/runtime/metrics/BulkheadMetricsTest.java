package io.quarkiverse.redisbulkhead.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
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
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.MultiEmitter;

class BulkheadMetricsTest {

    static final BulkheadId REPORTS = BulkheadId.of("reports");

    final MockClock clock = new MockClock();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    final BulkheadMetrics series = new BulkheadMetrics(registry, Set.of("reports", "late"), false);
    final BulkheadMetrics withKeys = new BulkheadMetrics(registry, Set.of("reports"), true);

    // The whole cluster.
    static final LimitState USED = new LimitState(Optional.empty(), OptionalInt.of(5), new Occupancy(3,
            new TreeMap<>(Map.of("host:1", 2)), 0, OptionalInt.empty(), new TreeSet<>(), List.of(), List.of()));
    final List<CompletableFuture<LimitState>> reads = new ArrayList<>();
    final List<MultiEmitter<? super Long>> timers = new ArrayList<>();
    final Multi<Long> ticks = Multi.createFrom().emitter(timers::add);

    final Uni<LimitState> read = Uni.createFrom().completionStage(() -> {
        reads.add(new CompletableFuture<>());
        return reads.get(reads.size() - 1);
    });

    @Test
    void waitingAndRunningCallsAreMeasured() {
        CallListener call = begin(2_000);
        assertThat(gauge("redis.bulkhead.executions.waiting")).isZero();
        call.waiting();
        assertThat(gauge("redis.bulkhead.executions.waiting")).isEqualTo(1);
        assertThat(gauge("redis.bulkhead.executions.running")).isZero();
        clock.add(Duration.ofMillis(300));
        call.acquired(CallResult.ACCEPTED, null);
        assertThat(gauge("redis.bulkhead.executions.waiting")).isZero();
        assertThat(gauge("redis.bulkhead.executions.running")).isEqualTo(1);
        assertThat(gauge("redis.bulkhead.executions.weight")).isEqualTo(2_000);
        call.released(Duration.ofMillis(500).toNanos());

        assertThat(gauge("redis.bulkhead.executions.running")).isZero();
        assertThat(milliseconds("redis.bulkhead.waiting.duration")).containsExactly(1.0, 300.0);
        assertThat(milliseconds("redis.bulkhead.running.duration")).containsExactly(1.0, 500.0);
        assertThat(gauge("redis.bulkhead.executions.weight")).isZero();
        assertThat(registry.get("redis.bulkhead.calls").tags("bulkhead", "reports", "result", "accepted").counter().count())
                .isOne();

        assertThat(registry.get("redis.bulkhead.permits.leaked").counter().count()).as("from the start").isZero();
        series.leaked(new PermitInUse(REPORTS, "id", "A#a", new Taker("main", ""), Duration.ZERO, Duration.ZERO));
        assertThat(registry.get("redis.bulkhead.permits.leaked").counter().count()).isOne();
    }

    /** The many immediate rejections would hide long waits. */
    @Test
    void waitingTimeExcludesImmediateRejections() {
        for (CallResult result : CallResult.values()) {
            CallListener call = begin(1);
            if (result == CallResult.ACCEPTED || result == CallResult.BYPASSED) {
                call.acquired(result, null);
            } else {
                call.rejected(result);
            }
        }
        assertThat(milliseconds("redis.bulkhead.waiting.duration")).as("accepted and bypassed").containsExactly(2.0, 0.0);
        CallListener waited = begin(1);
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
    void keysAreBounded() {
        withKeys.renewalFailed(REPORTS.forKey("x".repeat(1_000)), 1, null);
        for (int i = 0; i < BulkheadMetrics.MOST_KEYS + 5; i++) {
            withKeys.renewalFailed(REPORTS.forKey("key-" + i), 1, null);
        }
        assertThat(tagValues("key")).hasSize(BulkheadMetrics.MOST_KEYS + 1).contains("other")
                .doesNotContain("x".repeat(1_000));
    }

    /** A registry outlives the applications that tests start one after another. */
    @Test
    void gaugesAreRemovedWithTheApplication() {
        begin(1).acquired(CallResult.ACCEPTED, null);
        series.end();
        assertThat(series.onCall(REPORTS, "A#b", 1)).isSameAs(CallListener.NONE);
        assertThat(registry.find("redis.bulkhead.executions.running").gauges()).isEmpty();
        new BulkheadMetrics(registry, Set.of("reports"), false).meters(REPORTS, "A#a");

        assertThat(gauge("redis.bulkhead.executions.running")).isZero();
    }

    @Test
    void gaugesAreNaNBeforeTheFirstReply() {
        series.show("reports", read, ticks);
        assertThat(cluster("redis.bulkhead.permits.in.use")).isNaN();
        tick();
        assertThat(cluster("redis.bulkhead.permits.in.use")).isNaN();
        reads.get(0).complete(USED);

        assertThat(cluster("redis.bulkhead.permits.in.use")).isEqualTo(3);
        assertThat(cluster("redis.bulkhead.permits.idle")).isEqualTo(2);
        assertThat(cluster("redis.bulkhead.permits.limit")).isEqualTo(5);
        assertThat(cluster("redis.bulkhead.waiters")).isZero();
    }

    @Test
    void readsAgainAfterAnException() {
        List<String> thrown = new ArrayList<>();
        series.show("reports", Uni.createFrom().deferred(() -> {
            thrown.add("read");
            throw new IllegalStateException("inactive");
        }), ticks);

        tick();
        tick();

        assertThat(thrown).hasSize(2);
        assertThat(cluster("redis.bulkhead.permits.in.use")).isNaN();
    }

    @Test
    void readsOneAtATime() {
        series.show("reports", read, ticks);
        tick();
        tick();
        tick();
        assertThat(reads).hasSize(1);
        reads.get(0).complete(USED);
        assertThat(reads).as("missed ticks are not made up for").hasSize(1);
        tick();

        assertThat(reads).hasSize(2);
    }

    @Test
    void endStopsReadingAndRemovesTheGauges() {
        series.show("reports", read, ticks);
        tick();
        series.end();
        tick();

        assertThat(timers).allMatch(MultiEmitter::isCancelled);
        assertThat(reads).hasSize(1);
        assertThat(registry.getMeters()).isEmpty();
    }

    private void tick() {
        timers.forEach(timer -> timer.emit(0L));
    }

    private double cluster(String name) {
        return registry.get(name).tag("bulkhead", "reports").gauge().value();
    }

    private CallListener begin(int weight) {
        CallListener call = series.onCall(REPORTS, "A#a", weight);
        call.requested();
        return call;
    }

    private double gauge(String name) {
        return registry.get(name).tags("bulkhead", "reports", "method", "A#a").gauge().value();
    }

    private List<Double> milliseconds(String name) {
        Timer timer = registry.get(name).tags("bulkhead", "reports", "method", "A#a").timer();
        return List.of((double) timer.count(), timer.totalTime(TimeUnit.MILLISECONDS));
    }

    private Set<String> tagValues(String key) {
        return registry.getMeters().stream().map(Meter::getId).map(id -> id.getTag(key)).collect(Collectors.toSet());
    }
}
