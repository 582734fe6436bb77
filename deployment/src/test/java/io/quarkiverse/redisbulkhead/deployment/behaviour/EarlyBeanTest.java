package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

/** A guarded bean may be created while the application is initialised, when there is no run-time configuration yet. */
class EarlyBeanTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withApplicationRoot(jar -> jar.addClasses(Early.class))
            // On a busy machine, an answer of Redis may come late.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @Inject
    Early early;

    @Test
    void isGuardedAllTheSame() {
        assertThat(early.call()).isEqualTo("created early: true");
    }

    @Singleton
    public static class Early {

        private boolean createdEarly;

        void onInit(@Observes @Initialized(ApplicationScoped.class) Object event) {
            createdEarly = true;
        }

        @RedisBulkhead(name = "early", permits = 1)
        String call() {
            return "created early: " + createdEarly;
        }
    }
}
