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

/**
 * A name that is quoted in the application's file and unquoted in run-time configuration, and an environment variable
 * without the underscores that stand for quotes.
 */
class ConflictingQuotesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, Variables.class)
                    .addAsServiceProvider(ConfigSource.class, Variables.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "local")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"outranked\".permits", "7")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.outranked.max-wait", "5s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"by-variable\".permits", "7")
            .assertException(failure -> assertThat(ExceptionUtil.getRootCause(failure))
                    .hasMessageContaining("2 errors")
                    .hasMessageContaining("RBH032 quarkus.redis-bulkhead.\"outranked\".permits (")
                    .hasMessageContaining(") and quarkus.redis-bulkhead.outranked.max-wait (")
                    .hasMessageContaining("RBH032 quarkus.redis-bulkhead.\"by-variable\".permits (")
                    .hasMessageContaining(") and quarkus.redis-bulkhead.by-variable.max-wait (environment variable"
                            + " QUARKUS_REDIS_BULKHEAD_BY_VARIABLE_MAX_WAIT)")
                    .hasMessageContaining("rename the variable to QUARKUS_REDIS_BULKHEAD__BY_VARIABLE__MAX_WAIT"));

    @Test
    void doesNotStart() {
        fail("The application must not start");
    }

    /** The environment of this application only. */
    public static class Variables extends EnvConfigSource {

        private static final long serialVersionUID = 1L;

        public Variables() {
            super(Map.of("QUARKUS_REDIS_BULKHEAD_BY_VARIABLE_MAX_WAIT", "5s"), ORDINAL + 1);
        }
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "outranked", permits = 1)
        void outranked() {
        }

        @RedisBulkhead(name = "by-variable", permits = 1)
        void byVariable() {
        }
    }
}
