package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.junit.QuarkusTest;

/** A guarded bean may be created while the application is initialized, before run-time configuration is available. */
@QuarkusTest
class EarlyBeanTest {

    @Inject
    Early early;

    @Test
    void guardsBeansCreatedEarly() {
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
