package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.config.spi.ConfigSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.runtime.util.ExceptionUtil;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.config.EnvConfigSource;

/** An environment variable with a mistyped name has no effect, so the application does not start with it. */
class UnknownVariableTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, Variables.class)
                    .addAsServiceProvider(ConfigSource.class, Variables.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "local")
            .assertException(failure -> assertThat(ExceptionUtil.getRootCause(failure)).hasMessageContaining("an error")
                    .hasMessageContaining("RBH025 QUARKUS_REDIS_BULKHEAD_DAILY_REPORT_PERMITS: DAILY_REPORT in the environment"
                            + " variable matches no declared bulkhead. Did you mean"
                            + " QUARKUS_REDIS_BULKHEAD_DAILY_REPORTS_PERMITS? Declared: daily-reports."));

    @Test
    void doesNotStart() {
        fail("The application must not start");
    }

    /** The environment of this application only. */
    public static class Variables extends EnvConfigSource {

        private static final long serialVersionUID = 1L;

        public Variables() {
            super(Map.of("QUARKUS_REDIS_BULKHEAD_DAILY_REPORT_PERMITS", "5",
                    "QUARKUS_REDIS_BULKHEAD__DAILY_REPORTS__FAIR", "true"), ORDINAL + 1);
        }
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "daily-reports", permits = 1)
        void daily() {
        }
    }
}
