package io.quarkiverse.redisbulkhead.deployment.observation;

import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.OpenTelemetrySdkBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Traces bulkheads where OpenTelemetry is present. */
class TracingProcessor {

    // Named, not referred to: they need OpenTelemetry, which the application may lack.
    private static final String TRACING = "io.quarkiverse.redisbulkhead.runtime.tracing.";

    @BuildStep
    void tracing(RedisBulkheadBuildTimeConfig config, Optional<OpenTelemetrySdkBuildItem> openTelemetry,
            BuildProducer<AdditionalBeanBuildItem> beans) {
        if (openTelemetry.filter(OpenTelemetrySdkBuildItem::isTracingBuildTimeEnabled).isEmpty()) {
            return;
        }
        if (config.tracing().enabled()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(TRACING + "CallSpans"));
        }
        // Traces without spans of ours must not have the commands behind them either.
        if (config.store().needsRedis()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(TRACING + "UntracedRedis"));
        }
    }
}
