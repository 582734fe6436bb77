package io.quarkiverse.redisbulkhead.deployment.observation;

import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.OpenTelemetrySdkBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Traces bulkheads where OpenTelemetry is present. */
class TracingProcessor {

    // By name: it needs OpenTelemetry, which the application may lack.
    private static final String TRACING = "io.quarkiverse.redisbulkhead.runtime.tracing.";

    @BuildStep
    void tracing(RedisBulkheadBuildTimeConfig config, Optional<OpenTelemetrySdkBuildItem> openTelemetry,
            BuildProducer<AdditionalBeanBuildItem> beans) {
        if (config.tracing().enabled()
                && openTelemetry.filter(OpenTelemetrySdkBuildItem::isTracingBuildTimeEnabled).isPresent()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(TRACING + "CallSpans"));
        }
    }
}
