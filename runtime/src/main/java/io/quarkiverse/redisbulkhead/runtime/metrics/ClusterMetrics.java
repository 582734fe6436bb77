package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.VertxTimers;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.metrics.ClusterReadings.Reading;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;

/** Shows how full the declared bulkheads are over all processes; not those with keys, whose number is unbounded. */
@Singleton
public class ClusterMetrics {

    private final MeterRegistry registry;
    private final BulkheadRegistry bulkheads;
    private final Duration interval;
    private final Vertx vertx;
    private final List<Gauge> gauges = new ArrayList<>();
    private ClusterReadings readings;

    /**
     * Looks at nothing yet.
     *
     * @param registry where meters are
     * @param bulkheads what to look at
     * @param config says how often
     * @param vertx runs timers
     */
    @Inject
    public ClusterMetrics(MeterRegistry registry, BulkheadRegistry bulkheads, RedisBulkheadRuntimeConfig config, Vertx vertx) {
        this.registry = registry;
        this.bulkheads = bulkheads;
        this.interval = config.metrics().clusterInterval();
        this.vertx = vertx;
    }

    void begin(@Observes StartupEvent event) {
        if (interval.isZero()) {
            return;
        }
        List<Reading> all = new ArrayList<>();
        for (DeclaredBulkhead bulkhead : bulkheads.overview().declared()) {
            if (bulkhead.enabled() && !bulkhead.keyed()) {
                all.add(shown(bulkhead.name()));
            }
        }
        if (!all.isEmpty()) {
            readings = new ClusterReadings(all, new VertxTimers(vertx), interval);
            readings.begin();
        }
    }

    private Reading shown(String bulkhead) {
        RedisSemaphore semaphore = bulkheads.semaphore(bulkhead);
        Reading reading = new Reading(bulkhead, () -> semaphore.statusAsync().subscribeAsCompletionStage());
        gauge(MeterNames.PERMITS_IN_USE, bulkhead, reading, SemaphoreStatus::inUse,
                "Permits that are held in the cluster, by their weights");
        gauge(MeterNames.PERMITS_LIMIT, bulkhead, reading, SemaphoreStatus::limit,
                "How many permits may be held in the cluster");
        gauge(MeterNames.WAITERS, bulkhead, reading, SemaphoreStatus::waiting, "Calls in the cluster that wait for a permit");
        return reading;
    }

    private void gauge(String name, String bulkhead, Reading reading, ToDoubleFunction<SemaphoreStatus> number,
            String description) {
        gauges.add(Gauge.builder(name, reading, known -> known.value(number)).tag(MeterNames.BULKHEAD, bulkhead)
                .description(description).strongReference(true).register(registry));
    }

    @PreDestroy
    void end() {
        gauges.forEach(registry::remove);
        if (readings != null) {
            readings.stop();
        }
    }
}
