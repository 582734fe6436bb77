package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.runtime.util.ExceptionUtil;
import io.quarkus.test.QuarkusUnitTest;

/** Run-time configuration is checked at start-up; all errors are reported together, with the names of the properties. */
class WrongRuntimeConfigurationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class))
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"reports\".permits", "0")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.daily.permits", "0")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.rest.status", "200")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock-store.step-timeout", "10ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock-store.contention-timeout", "5ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.metrics.cluster-interval", "5ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock.\"orders\".lock-timeout", "0s")
            .assertException(failure -> {
                Throwable cause = ExceptionUtil.getRootCause(failure);
                assertThat(cause).hasMessageContaining("7 errors")
                        .hasMessageContaining(
                                "RBH005 quarkus.redis-bulkhead.\"reports\".permits: permits must be at least 1, but is 0")
                        .hasMessageContaining(
                                "RBH005 quarkus.redis-bulkhead.daily.permits: permits must be at least 1, but is 0")
                        .hasMessageContaining("quarkus.redis-bulkhead.rest.status")
                        .hasMessageContaining("quarkus.redis-bulkhead.metrics.cluster-interval: clusterInterval must be zero or"
                                + " from 100 milliseconds to one day, but is PT0.005S")
                        .hasMessageContaining(
                                "lock-store.step-timeout: stepTimeout must be from 50 milliseconds to one minute, but is PT0.01S")
                        .hasMessageContaining(
                                "lock-store.contention-timeout: contentionTimeout must be longer than stepTimeout, and at most one"
                                        + " hour, but is PT0.005S")
                        .hasMessageContaining("quarkus.redis-bulkhead.lock.\"orders\".lock-timeout: lockTimeout must be at "
                                + "least one millisecond, but is PT0S");
            });

    @Test
    void doesNotStart() {
        fail("The application must not start");
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 5)
        void render() {
        }

        @RedisBulkhead(name = "daily", permits = 5)
        void renderDaily() {
        }
    }
}
