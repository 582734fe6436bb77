package io.quarkiverse.redisbulkhead.deployment.observation;

import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.runtime.metrics.MetricsFactory;

/** Measures bulkheads where Micrometer is present. */
class MetricsProcessor {

    // By name: they need Micrometer, which the application may lack.
    private static final String METRICS = "io.quarkiverse.redisbulkhead.runtime.metrics.";

    @BuildStep
    void metrics(RedisBulkheadBuildTimeConfig config, Optional<MetricsCapabilityBuildItem> metrics,
            BuildProducer<AdditionalBeanBuildItem> beans) {
        boolean hasMicrometer = metrics.filter(present -> present.metricsSupported(MetricsFactory.MICROMETER)).isPresent();
        if (!hasMicrometer || !config.metrics().enabled()) {
            return;
        }
        AdditionalBeanBuildItem.Builder all = AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(METRICS + "CallMetrics", METRICS + "ClusterMetrics");
        if (config.store().needsRedis()) {
            all.addBeanClass(METRICS + "StoreMetrics");
        }
        beans.produce(all.build());
    }
}
