package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;

/** Environment variables configure bulkheads and locks. The build file sets them for this module. */
@QuarkusTest
class EnvironmentTest {

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void variableConfiguresABulkheadOfAnyName() {
        assertThat(System.getenv("QUARKUS_REDIS_BULKHEAD__FROM_THE_ENVIRONMENT__PERMITS")).isEqualTo("7");

        assertThat(bulkheads.semaphore("from-the-environment").spec().permits()).isEqualTo(7);
        assertThat(bulkheads.semaphore("From the environment").spec().permits()).isEqualTo(7);
        assertThat(bulkheads.semaphore("from another environment").spec().permits()).isEqualTo(1);
    }

    @Test
    void variableMayOmitQuotes() {
        assertThat(bulkheads.semaphore("by-variable").spec().localPermits()).isEqualTo(2);
        assertThat(bulkheads.lock("variable").spec().fair()).isTrue();
    }

    @Test
    void variableConfiguresABulkheadInCode() {
        assertThat(bulkheads.semaphore(SemaphoreSpec.named("code-variable").permits(1).build()).spec().permits()).isEqualTo(3);
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "from-the-environment", permits = 1)
        void one() {
        }

        @RedisBulkhead(name = "From the environment", permits = 1, fair = true)
        void two() {
        }

        @RedisBulkhead(name = "from another environment", permits = 1)
        void other() {
        }

        @RedisBulkhead(name = "by-variable", permits = 4)
        void byVariable() {
        }
    }
}
