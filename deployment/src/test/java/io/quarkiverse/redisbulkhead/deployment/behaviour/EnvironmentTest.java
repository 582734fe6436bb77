package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.QuarkusUnitTest;

/**
 * Environment variables, which all tests have: one for the bulkhead here, and one for a bulkhead that is not declared, which
 * may be meant for another application.
 */
class EnvironmentTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class))
            .overrideConfigKey("quarkus.redis-bulkhead.\"From the environment\".fair", "true");

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void aVariableReachesTheBulkheadWhateverItsNameIs() {
        assertThat(System.getenv("QUARKUS_REDIS_BULKHEAD__FROM_THE_ENVIRONMENT__PERMITS")).isEqualTo("7");
        assertThat(System.getenv("QUARKUS_REDIS_BULKHEAD__OF_ANOTHER_APPLICATION__PERMITS")).isEqualTo("3");

        assertThat(bulkheads.semaphore("from-the-environment").spec().permits()).isEqualTo(7);
        assertThat(bulkheads.semaphore("From the environment").spec().permits()).isEqualTo(7);
        assertThat(bulkheads.semaphore("other").spec().permits()).isEqualTo(1);
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "from-the-environment", permits = 1)
        void one() {
        }

        @RedisBulkhead(name = "From the environment", permits = 1, fair = true)
        void two() {
        }

        @RedisBulkhead(name = "other", permits = 1)
        void other() {
        }
    }
}
