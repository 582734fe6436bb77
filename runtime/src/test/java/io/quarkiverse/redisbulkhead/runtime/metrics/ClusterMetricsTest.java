package io.quarkiverse.redisbulkhead.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.MultiEmitter;

class ClusterMetricsTest {

    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final BulkheadMetrics metrics = new BulkheadMetrics(registry, Set.of(), false);
    final List<CompletableFuture<LimitState>> reads = new ArrayList<>();
    final List<MultiEmitter<? super Long>> timers = new ArrayList<>();
    final Multi<Long> ticks = Multi.createFrom().emitter(timers::add);

    final Uni<LimitState> read = Uni.createFrom().completionStage(() -> {
        reads.add(new CompletableFuture<>());
        return reads.get(reads.size() - 1);
    });

    @Test
    void gaugesAreNaNBeforeTheFirstReply() {
        metrics.show("reports", read, ticks);
        assertThat(inUse()).isNaN();
        tick();
        assertThat(inUse()).isNaN();
        reads.get(0).complete(status(3));

        assertThat(inUse()).isEqualTo(3);
        assertThat(gauge("redis.bulkhead.permits.idle")).isEqualTo(2);
        assertThat(gauge("redis.bulkhead.permits.limit")).isEqualTo(5);
        assertThat(gauge("redis.bulkhead.waiters")).isZero();
    }

    @Test
    void readsAgainAfterAnException() {
        List<String> thrown = new ArrayList<>();
        metrics.show("reports", Uni.createFrom().deferred(() -> {
            thrown.add("read");
            throw new IllegalStateException("inactive");
        }), ticks);

        tick();
        tick();

        assertThat(thrown).hasSize(2);
        assertThat(inUse()).isNaN();
    }

    @Test
    void readsOneAtATime() {
        metrics.show("reports", read, ticks);
        tick();
        tick();
        tick();
        assertThat(reads).hasSize(1);
        reads.get(0).complete(status(3));
        assertThat(reads).as("missed ticks are not made up for").hasSize(1);
        tick();

        assertThat(reads).hasSize(2);
    }

    @Test
    void endStopsReadingAndRemovesTheGauges() {
        metrics.show("reports", read, ticks);
        tick();
        metrics.end();
        tick();

        assertThat(timers).allMatch(MultiEmitter::isCancelled);
        assertThat(reads).hasSize(1);
        assertThat(registry.getMeters()).isEmpty();
    }

    private void tick() {
        timers.forEach(timer -> timer.emit(0L));
    }

    private double inUse() {
        return gauge("redis.bulkhead.permits.in.use");
    }

    private double gauge(String name) {
        return registry.get(name).tag("bulkhead", "reports").gauge().value();
    }

    private static LimitState status(int inUse) {
        return new LimitState(Optional.empty(), OptionalInt.of(5), new Occupancy(inUse, new TreeMap<>(Map.of("host:1", 2)), 0,
                OptionalInt.empty(), new TreeSet<>(), List.of(), List.of()));
    }
}
