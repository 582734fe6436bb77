package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;

/**
 * Shows how full the declared bulkheads are over all processes, except those with keys, whose number is unbounded. Reads in the
 * background, so that scrapes do not wait for Redis, and asks no other instance: all of them do this.
 */
@Singleton
public class ClusterMetrics {

    private static final Logger LOG = Logger.getLogger(ClusterMetrics.class);

    private final MeterRegistry registry;

    // All are guarded by this.
    private final List<Gauge> gauges = new ArrayList<>();
    private final List<Cancellable> readings = new ArrayList<>();
    private boolean ended;

    /**
     * Reads nothing yet.
     *
     * @param registry where meters are
     */
    @Inject
    public ClusterMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    // On a worker thread, because it loads classes: neither the start of the application nor an event loop should wait for that.
    void begin(@Observes StartupEvent event, BulkheadRegistry bulkheads, RedisBulkheadRuntimeConfig config, Vertx vertx) {
        Duration interval = config.metrics().clusterInterval();
        if (!interval.isZero()) {
            // Not on the worker pool of Mutiny: guarded methods may block all of its threads.
            EventLoopGroup loops = ((VertxInternal) vertx).getEventLoopGroup();
            Arc.container().getExecutorService()
                    .execute(() -> showAll(bulkheads, Multi.createFrom().ticks().onExecutor(loops).every(interval)));
        }
    }

    private void showAll(BulkheadRegistry bulkheads, Multi<?> ticks) {
        for (String name : bulkheads.names()) {
            if (bulkheads.isEnabled(name) && !bulkheads.definitions().isKeyed(name)) {
                // Loaded here, and not on an event loop; and not where no bulkhead limits anything.
                bulkheads.overview();
                show(name, Uni.createFrom().completionStage(() -> bulkheads.overview().numbers(name)), ticks);
            }
        }
    }

    /**
     * Shows one bulkhead.
     *
     * @param bulkhead its name
     * @param read asks for its state
     * @param ticks when to ask; dropped while a reply is outstanding
     */
    synchronized void show(String bulkhead, Uni<LimitState> read, Multi<?> ticks) {
        if (ended) {
            return;
        }
        // Null while the state is unknown.
        AtomicReference<LimitState> latest = new AtomicReference<>();
        gauge("permits.in.use", bulkhead, latest, state -> state.now().inUse(),
                "Permits in use in the whole cluster, by weight; also those that other instances keep idle");
        gauge("permits.idle", bulkhead, latest, state -> state.now().idle(),
                "Permits that this instance keeps for its next calls");
        gauge("permits.limit", bulkhead, latest, state -> state.limit().getAsInt(), "The current limit in the whole cluster");
        gauge("waiters", bulkhead, latest, state -> state.now().waiting(),
                "Calls in the whole cluster that are waiting for a permit");
        readings.add(ticks.onOverflow().drop().onItem().transformToUniAndConcatenate(tick -> read
                .onFailure().invoke(failure -> LOG.debugf(failure,
                        "Bulkhead '%s' could not be read; its cluster-wide gauges have no value for now", bulkhead))
                .onFailure().recoverWithNull().invoke(latest::set)).subscribe().with(done -> {
                }));
    }

    private void gauge(String name, String bulkhead, AtomicReference<LimitState> latest, ToDoubleFunction<LimitState> number,
            String description) {
        gauges.add(Gauge.builder("redis.bulkhead." + name, () -> {
            LimitState state = latest.get();
            return state == null ? Double.NaN : number.applyAsDouble(state);
        }).tag("bulkhead", bulkhead).description(description).register(registry));
    }

    @PreDestroy
    synchronized void end() {
        ended = true;
        readings.forEach(Cancellable::cancel);
        gauges.forEach(registry::remove);
    }
}
