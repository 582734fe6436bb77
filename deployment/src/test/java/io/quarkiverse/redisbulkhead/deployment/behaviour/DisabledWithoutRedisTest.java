package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.OperationListener;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;

/**
 * An application with disabled bulkheads needs no Redis. Micrometer and OpenTelemetry are present, but disabled for bulkheads.
 */
class DisabledWithoutRedisTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(OptionalExtensions.class, Guarded.class, Scrape.class, Scrape.Sample.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.METRICS, OptionalExtensions.TRACING))
            .overrideConfigKey("quarkus.otel.traces.exporter", "none")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.enabled", "false")
            .overrideConfigKey("quarkus.redis-bulkhead.tracing.enabled", "false")
            .overrideConfigKey("quarkus.devservices.enabled", "false")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.enabled", "false");

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void callsProceedAndStatusFails() {
        assertThat(guarded.render()).isEqualTo("done");
        assertThatThrownBy(() -> bulkheads.semaphore("reports").status()).isInstanceOf(BulkheadUnavailableException.class);
    }

    @Test
    void disabledMetricsAndTracesAddNoListener() {
        assertThat(Arc.container().listAll(SemaphoreListener.class)).isEmpty();
        assertThat(Arc.container().listAll(OperationListener.class)).isEmpty();
        Scrape scrape = Scrape.now();
        assertThat(scrape.samples()).isEmpty();
        assertThat(scrape.text()).contains("jvm_");
    }

    /** Disabling bulkheads does not disable locks. The extension learns of a lock when the application requests it. */
    @Test
    void locksStillRequireRedis() {
        assertThatThrownBy(() -> bulkheads.lock("orders")).isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "quarkus.redis.hosts is not set, but the lock 'orders' needs that Redis. Set it, or keep locks in this "
                                + "process by quarkus.redis-bulkhead.store=local when the application is built");
        assertThatThrownBy(() -> bulkheads.lock(LockSpec.named("orders").build())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> bulkheads.lock(" ")).isInstanceOf(IllegalArgumentException.class);
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1)
        String render() {
            return "done";
        }
    }
}
