package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.config.spi.ConfigSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.runtime.util.ExceptionUtil;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.config.EnvConfigSource;

/** Run-time configuration is checked at start-up; all errors are reported together, with the names of the properties. */
class WrongRuntimeConfigurationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, Variables.class)
                    .addAsServiceProvider(ConfigSource.class, Variables.class))
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"reports\".permits", "0")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.daily.permits", "0")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.rest.status", "200")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock-store.step-timeout", "10ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock-store.contention-timeout", "5ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.metrics.cluster-interval", "5ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock.\"orders\".lock-timeout", "0s")
            // Also unquoted, and in an environment variable.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"outranked\".permits", "7")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.outranked.max-wait", "5s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"by-variable\".permits", "7")
            .assertException(failure -> {
                Throwable cause = ExceptionUtil.getRootCause(failure);
                assertThat(cause).hasMessageContaining("8 errors")
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
                                + "least one millisecond, but is PT0S")
                        .hasMessageContaining("RBH025 QUARKUS_REDIS_BULKHEAD_DAILY_REPORT_PERMITS: DAILY_REPORT in the"
                                + " environment variable matches no declared bulkhead. Did you mean"
                                + " QUARKUS_REDIS_BULKHEAD_DAILY_REPORTS_PERMITS? Declared:");
            });

    @Test
    void doesNotStart() {
        fail("The application must not start");
    }

    /** The environment of this application only. A variable with a mistyped name has no effect, so it is an error. */
    public static class Variables extends EnvConfigSource {

        private static final long serialVersionUID = 1L;

        public Variables() {
            super(Map.of("QUARKUS_REDIS_BULKHEAD_BY_VARIABLE_MAX_WAIT", "5s",
                    "QUARKUS_REDIS_BULKHEAD_DAILY_REPORT_PERMITS", "5",
                    "QUARKUS_REDIS_BULKHEAD__DAILY_REPORTS__FAIR", "true"), ORDINAL + 1);
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 5)
        void render() {
        }

        @RedisBulkhead(name = "daily", permits = 5)
        void renderDaily() {
        }

        @RedisBulkhead(name = "outranked", permits = 1)
        void outranked() {
        }

        @RedisBulkhead(name = "by-variable", permits = 1)
        void byVariable() {
        }

        @RedisBulkhead(name = "daily-reports", permits = 1)
        void dailyReports() {
        }
    }
}
