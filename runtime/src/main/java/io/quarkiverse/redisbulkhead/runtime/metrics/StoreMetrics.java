package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkiverse.redisbulkhead.runtime.observation.ConstantLabels;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** Measures how long Redis takes. */
@Singleton
public class StoreMetrics implements ObservedShareStore.Listener {

    private enum Outcome {
        SUCCESS,
        CONTENDED,
        FAILURE
    }

    private record Series(ObservedShareStore.Operation operation, Outcome outcome) {
    }

    private final MeterRegistry registry;
    private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

    /**
     * Makes no meter yet.
     *
     * @param registry where meters are
     */
    @Inject
    public StoreMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void done(ObservedShareStore.Operation operation, Duration time, Throwable failure) {
        Series series = new Series(operation, outcome(failure));
        Timer known = timers.get(series);
        (known != null ? known : timers.computeIfAbsent(series, this::timer)).record(time);
    }

    private static Outcome outcome(Throwable failure) {
        if (failure == null) {
            return Outcome.SUCCESS;
        }
        return StoreException.is(failure, StoreException.Kind.CONTENDED) ? Outcome.CONTENDED : Outcome.FAILURE;
    }

    private Timer timer(Series series) {
        return Timer.builder(MeterNames.OPERATION_DURATION)
                .tag(MeterNames.OPERATION, ConstantLabels.of(series.operation()))
                .tag(MeterNames.OUTCOME, ConstantLabels.of(series.outcome()))
                .description("From a request to the reply of Redis")
                .serviceLevelObjectives(MeterNames.bucketsOfOperations()).register(registry);
    }
}
