package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkus.arc.Arc;
import io.quarkus.arc.InjectableBean;
import io.quarkus.test.QuarkusUnitTest;

/**
 * Without Micrometer, and with OpenTelemetry disabled, the application contains nothing of either, and registers no
 * listener.
 */
class WithoutObservationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(OptionalExtensions.class, Guarded.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.TRACING))
            .overrideConfigKey("quarkus.otel.enabled", "false")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @Inject
    Guarded guarded;

    @Test
    void registersNoListener() {
        assertThatThrownBy(() -> Thread.currentThread().getContextClassLoader()
                .loadClass("io.micrometer.core.instrument.MeterRegistry")).isInstanceOf(ClassNotFoundException.class);
        assertThat(guarded.call()).isEqualTo("called");
        assertThat(Arc.container().listAll(SemaphoreListener.class)).isEmpty();
        assertThat(Arc.container().listAll(ObservedShareStore.Listener.class)).isEmpty();
        assertThat(
                Arc.container().listAll(Object.class).stream().map(handle -> handle.getBean()).map(InjectableBean::getBeanClass)
                        .map(Class::getPackageName))
                .isNotEmpty().noneMatch(name -> name.endsWith(".runtime.metrics")
                        || name.endsWith(".runtime.tracing"));
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1)
        String call() {
            return "called";
        }
    }
}
