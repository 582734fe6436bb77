package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;

/**
 * Each source may configure bulkheads and locks, whose names may be quoted or unquoted. The build file sets the environment
 * variables and system properties of this module.
 */
@QuarkusTest
class ConfigurationSourcesTest {

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

    @Test
    void nameMayBeQuotedInAnySource() {
        assertThat(bulkheads.semaphore("by-file").spec().permits()).isEqualTo(6);
        assertThat(bulkheads.semaphore("by-profile").spec().permits()).isEqualTo(6);
        assertThat(bulkheads.semaphore("by-property").spec().permits()).isEqualTo(6);
        assertThat(bulkheads.semaphore("quoted").spec().permits()).isEqualTo(6);
        assertThat(bulkheads.semaphore("quoted").spec().maxWait()).hasSeconds(5);
        assertThat(bulkheads.lock("quoted").spec().acquireTimeout()).hasSeconds(5);
    }

    @Test
    void sourceWithTheHigherOrdinalWins() {
        assertThat(bulkheads.semaphore("outranked").spec().permits()).isEqualTo(6);
        assertThat(bulkheads.lock("outranked").spec().acquireTimeout()).hasSeconds(5);
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "by-file", permits = 1)
        @RedisBulkhead(name = "by-profile", permits = 1)
        @RedisBulkhead(name = "by-property", permits = 1)
        @RedisBulkhead(name = "quoted", permits = 1)
        @RedisBulkhead(name = "outranked", permits = 1)
        void several() {
        }

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
