package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
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
            EventLoopGroup loops = ((VertxInternal) vertx).getEventLoopGroup();
            Arc.container().getExecutorService().execute(() -> showAll(bulkheads, loops, interval));
        }
    }

    private synchronized void showAll(BulkheadRegistry bulkheads, EventLoopGroup loops, Duration interval) {
        if (ended) {
            return;
        }
        // Not on the worker pool of Mutiny: guarded methods may block all of its threads.
        Multi<Long> ticks = Multi.createFrom().ticks().onExecutor(loops).every(interval);
        for (String bulkhead : bulkheads.names()) {
            if (bulkheads.isEnabled(bulkhead) && !bulkheads.isKeyed(bulkhead)) {
                // Here and not on an event loop; and not where no bulkhead limits anything.
                bulkheads.overview();
                show(bulkhead, () -> Uni.createFrom().completionStage(() -> bulkheads.overview().numbers(bulkhead)), ticks);
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
    synchronized void show(String bulkhead, Supplier<Uni<? extends LimitState>> read, Multi<?> ticks) {
        // Null while the state is unknown.
        AtomicReference<LimitState> latest = new AtomicReference<>();
        gauge(MeterNames.PERMITS_IN_USE, bulkhead, latest, LimitState::inUse,
                "Permits in use in the whole cluster, by weight; also those that other instances keep idle");
        gauge(MeterNames.PERMITS_IDLE, bulkhead, latest, LimitState::idle,
                "Permits that this instance keeps for its next calls");
        gauge(MeterNames.PERMITS_LIMIT, bulkhead, latest, state -> state.limit().getAsInt(),
                "The current limit in the whole cluster");
        gauge(MeterNames.WAITERS, bulkhead, latest, LimitState::waiting,
                "Calls in the whole cluster that are waiting for a permit");
        readings.add(ticks.onOverflow().drop()
                .onItem().transformToUniAndConcatenate(tick -> Uni.createFrom().deferred(read)
                        .onFailure().invoke(failure -> LOG.debugf(failure,
                                "Bulkhead '%s' could not be read; its metrics of all processes have no value now", bulkhead))
                        .onFailure().recoverWithNull().invoke(latest::set))
                .subscribe().with(done -> {
                }));
    }

    private void gauge(String name, String bulkhead, AtomicReference<LimitState> latest,
            ToDoubleFunction<LimitState> number, String description) {
        gauges.add(Gauge.builder(name, () -> {
            LimitState state = latest.get();
            return state == null ? Double.NaN : number.applyAsDouble(state);
        }).tag(MeterNames.BULKHEAD, bulkhead).description(description).register(registry));
    }

    @PreDestroy
    synchronized void end() {
        ended = true;
        readings.forEach(Cancellable::cancel);
        gauges.forEach(registry::remove);
    }
}
