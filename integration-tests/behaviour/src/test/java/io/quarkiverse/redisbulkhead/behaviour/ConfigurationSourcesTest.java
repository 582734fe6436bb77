package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;

/**
 * Each source may configure bulkheads and locks, whose names may be quoted or unquoted. The build file sets the environment
 * variables and system properties of this module.
 */
@QuarkusTest
class ConfigurationSourcesTest extends BehaviourTestBase {

    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, textBlock = """
            bulkhead,                  permits
            from-the-environment,      7
            From the environment,      7
            from another environment,  1
            by-file,                   6
            by-profile,                6
            by-property,               6
            quoted,                    6
            outranked,                 6
            """)
    void permitsOfDeclaredBulkheads(String bulkhead, int permits) {
        assertThat(bulkheads.semaphore(bulkhead).spec().permits()).isEqualTo(permits);
    }

    @Test
    void otherProperties() {
        assertThat(bulkheads.semaphore("by-variable").spec().localPermits()).isEqualTo(2);
        assertThat(bulkheads.semaphore("quoted").spec().maxWait()).hasSeconds(5);
        assertThat(bulkheads.semaphore(SemaphoreSpec.named("code-variable").permits(1).build()).spec().permits()).isEqualTo(3);
    }

    @Test
    void locks() {
        assertThat(bulkheads.lock("variable").spec().fair()).isTrue();
        assertThat(bulkheads.lock("quoted").spec().acquireTimeout()).hasSeconds(5);
        assertThat(bulkheads.lock("outranked").spec().acquireTimeout()).as("of the source with the higher ordinal")
                .hasSeconds(5);
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
