package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;

/** Micrometer and OpenTelemetry are present, but disabled for bulkheads. */
class ObservationSwitchedOffTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(OptionalExtensions.class, Guarded.class, Scrape.class, Scrape.Sample.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.METRICS, OptionalExtensions.TRACING))
            .overrideConfigKey("quarkus.otel.traces.exporter", "none")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.enabled", "false")
            .overrideConfigKey("quarkus.redis-bulkhead.tracing.enabled", "false")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @Inject
    Guarded guarded;

    @Test
    void registersNoListener() {
        guarded.call();

        assertThat(Arc.container().listAll(SemaphoreListener.class)).isEmpty();
        assertThat(Arc.container().listAll(ObservedShareStore.Listener.class)).isEmpty();
        Scrape scrape = Scrape.now();
        assertThat(scrape.samples()).isEmpty();
        assertThat(scrape.text()).contains("jvm_");
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1)
        void call() {
        }
    }
}
