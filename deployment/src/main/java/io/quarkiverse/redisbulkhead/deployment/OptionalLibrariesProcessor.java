package io.quarkiverse.redisbulkhead.deployment;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.OpenTelemetrySdkBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.runtime.metrics.MetricsFactory;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;

/** Adds the beans for libraries that the application may lack, by name: their classes need these libraries. */
class OptionalLibrariesProcessor {

    private static final Logger LOG = Logger.getLogger(OptionalLibrariesProcessor.class);

    private static final String RUNTIME = "io.quarkiverse.redisbulkhead.runtime.";
    private static final String COROUTINES = "kotlinx.coroutines.CancellableContinuation";

    @BuildStep
    void beans(RedisBulkheadBuildTimeConfig config, Optional<MetricsCapabilityBuildItem> metrics,
            Optional<OpenTelemetrySdkBuildItem> openTelemetry, Capabilities capabilities,
            BuildProducer<AdditionalBeanBuildItem> beans) {
        List<String> names = new ArrayList<>();
        if (config.metrics().enabled()
                && metrics.filter(present -> present.metricsSupported(MetricsFactory.MICROMETER)).isPresent()) {
            names.add("metrics.BulkheadMetrics");
        }
        if (config.tracing().enabled()
                && openTelemetry.filter(OpenTelemetrySdkBuildItem::isTracingBuildTimeEnabled).isPresent()) {
            names.add("tracing.CallSpans");
        }
        if (hasCoroutines()) {
            names.add("guard.SuspendingGuard");
        }
        if (capabilities.isPresent(Capability.GRPC)) {
            names.add("rest.Rejections");
            // Removed as unused where there is no service, or another provider.
            beans.produce(new AdditionalBeanBuildItem(RUNTIME + "grpc.RejectionHandlerProvider"));
        }
        names.forEach(name -> beans.produce(AdditionalBeanBuildItem.unremovableOf(RUNTIME + name)));
    }

    @BuildStep
    HealthBuildItem check(RedisBulkheadBuildTimeConfig config, Capabilities capabilities) {
        if (capabilities.isPresent(Capability.SMALLRYE_HEALTH) && config.store().needsRedis() && ConfigProvider.getConfig()
                .getOptionalValue("quarkus.redis.health.enabled", Boolean.class).orElse(true)) {
            LOG.info("The Redis client has a readiness check of its own. In an outage, it is down even if all bulkheads"
                    + " continue (on-outage), and it waits for quarkus.redis.timeout. If nothing else needs Redis, set"
                    + " quarkus.redis.health.enabled=false");
        }
        return new HealthBuildItem(RUNTIME + "health.BulkheadsHealthCheck", config.health().enabled());
    }

    /** Whether the application has kotlinx-coroutines-core. */
    static boolean hasCoroutines() {
        return QuarkusClassLoader.isClassPresentAtRuntime(COROUTINES);
    }
}
