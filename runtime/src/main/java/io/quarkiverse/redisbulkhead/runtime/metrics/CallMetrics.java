package io.quarkiverse.redisbulkhead.runtime.metrics;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.semaphore.CallListener;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkus.runtime.StartupEvent;

/** Measures the calls of this process, and what goes wrong with their permits. */
@Singleton
public class CallMetrics implements SemaphoreListener {

    private final Instance<BulkheadRegistry> bulkheads;
    private final boolean keyTag;
    private final CallSeries series;

    /**
     * Makes no meter yet.
     *
     * @param registry where meters are
     * @param bulkheads knows which names are declared; needs this bean itself, so it is asked when there are calls
     * @param config says whether keys are a tag
     */
    @Inject
    public CallMetrics(MeterRegistry registry, Instance<BulkheadRegistry> bulkheads, RedisBulkheadRuntimeConfig config) {
        this.bulkheads = bulkheads;
        this.keyTag = config.metrics().keyTag();
        this.series = new CallSeries(registry, name -> bulkheads.get().names().contains(name), keyTag);
    }

    // So that the first event of a kind is an increase, which a series that begins with it would not show.
    void begin(@Observes StartupEvent event) {
        for (DeclaredBulkhead bulkhead : bulkheads.get().overview().declared()) {
            if (bulkhead.enabled() && !(keyTag && bulkhead.keyed())) {
                BulkheadId id = BulkheadId.of(bulkhead.name());
                bulkhead.methods().forEach(method -> series.calls(id, method));
                for (PermitLost.Reason reason : PermitLost.Reason.values()) {
                    series.permitsLost(id, reason);
                }
                series.renewalsFailed(id);
            }
        }
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method) {
        // After the end nobody would remove the gauges.
        return series.isClosed() ? CallListener.NONE : series.calls(bulkhead, method).newCall();
    }

    @Override
    public void lost(PermitLost loss) {
        series.permitsLost(new BulkheadId(loss.bulkhead(), loss.key()), loss.reason()).increment();
    }

    @Override
    public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
        series.renewalsFailed(bulkhead).increment(permits);
    }

    @PreDestroy
    void end() {
        series.close();
    }
}
