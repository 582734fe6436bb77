package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.QuarkusUnitTest;

/** Names of bulkheads and locks may be quoted or unquoted, in each source; the source with the higher ordinal wins. */
class QuotedNamesTest {

    private static final String FILE = """
            quarkus.redis-bulkhead.store=local
            quarkus.redis-bulkhead.file.permits=6

            quarkus.redis-bulkhead."quoted".permits=6
            quarkus.redis-bulkhead.quoted.max-wait=5s

            quarkus.redis-bulkhead.profile.permits=7
            %test.quarkus.redis-bulkhead.profile.permits=6
            %prod.quarkus.redis-bulkhead."profile".permits=8

            quarkus.redis-bulkhead."outranked".permits=7

            quarkus.redis-bulkhead.lock."quoted".acquire-timeout=5s
            quarkus.redis-bulkhead.lock.outranked.acquire-timeout=6s
            """;

    private static final String PROPERTY = "quarkus.redis-bulkhead.by-property.permits";
    private static final String PROPERTY_OF_LOCK = "quarkus.redis-bulkhead.lock.outranked.acquire-timeout";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class)
                    .addAsResource(new StringAsset(FILE), "application.properties"))
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.start.permits", "6")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.outranked.permits", "6")
            .setBeforeAllCustomizer(() -> {
                System.setProperty(PROPERTY, "6");
                System.setProperty(PROPERTY_OF_LOCK, "5s");
            })
            .setAfterAllCustomizer(() -> {
                System.clearProperty(PROPERTY);
                System.clearProperty(PROPERTY_OF_LOCK);
            });

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void readsUnquotedNamesFromEverySource() {
        assertThat(spec("file").permits()).isEqualTo(6);
        assertThat(spec("start").permits()).isEqualTo(6);
        assertThat(spec("by-property").permits()).isEqualTo(6);
        assertThat(spec("profile").permits()).isEqualTo(6);
    }

    @Test
    void quotedNameIsTheSameName() {
        assertThat(spec("quoted").permits()).isEqualTo(6);
        assertThat(spec("quoted").maxWait()).hasSeconds(5);
        assertThat(bulkheads.lock("quoted").spec().acquireTimeout()).hasSeconds(5);
    }

    @Test
    void sourceWithTheHigherOrdinalWins() {
        assertThat(spec("outranked").permits()).isEqualTo(6);
        assertThat(bulkheads.lock("outranked").spec().acquireTimeout()).hasSeconds(5);
    }

    private SemaphoreSpec spec(String bulkhead) {
        return bulkheads.semaphore(bulkhead).spec();
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "file", permits = 1)
        void file() {
        }

        @RedisBulkhead(name = "start", permits = 1)
        void start() {
        }

        @RedisBulkhead(name = "by-property", permits = 1)
        void byProperty() {
        }

        @RedisBulkhead(name = "profile", permits = 1)
        void profile() {
        }

        @RedisBulkhead(name = "quoted", permits = 1)
        void quoted() {
        }

        @RedisBulkhead(name = "outranked", permits = 1)
        void outranked() {
        }
    }
}
