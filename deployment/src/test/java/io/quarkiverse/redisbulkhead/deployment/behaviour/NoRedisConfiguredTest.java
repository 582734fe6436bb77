package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.util.ExceptionUtil;
import io.quarkus.test.QuarkusUnitTest;

/** A production application without {@code quarkus.redis.hosts} does not start; the message names the property. */
class NoRedisConfiguredTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class))
            .overrideConfigKey("quarkus.devservices.enabled", "false")
            .assertException(failure -> {
                Throwable cause = ExceptionUtil.getRootCause(failure);
                assertThat(cause.getClass().getName()).isEqualTo(ConfigurationException.class.getName());
                assertThat(cause).hasMessageContaining("RBH027 quarkus.redis.hosts is not set").hasMessageContaining("reports");
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
    }
}
