package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;
import io.vertx.redis.client.Redis;

/**
 * With the local store, here in tests only, an application needs no Redis: the extension requests no client, and its
 * bulkheads still enforce limits.
 */
class LocalStoreTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Reports.class).addAsResource(new StringAsset("""
                    %test.quarkus.redis-bulkhead.store=local
                    %prod.quarkus.redis.hosts=redis://redis.example:6379
                    """), "application.properties"));

    @Inject
    Reports reports;

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void enforcesTheLimit() {
        assertThat(reports.render(() -> {
            assertThat(bulkheads.semaphore("reports").status().inUse()).isEqualTo(1);
            assertThatThrownBy(() -> reports.render(() -> "never")).isInstanceOfSatisfying(BulkheadFullException.class, e -> {
                assertThat(e.name()).isEqualTo("reports");
                assertThat(e.limit()).isEqualTo(1);
            });
            return "done";
        })).isEqualTo("done");
        assertThat(reports.render(() -> "again")).as("after the release").isEqualTo("again");
    }

    @Test
    void locksAreExclusive() {
        bulkheads.lock("orders").run(() -> {
            assertThat(bulkheads.lock("orders").tryLock()).isEmpty();
            assertThat(bulkheads.lock("orders").owner()).isPresent();
        });
        assertThat(bulkheads.lock("orders").tryLock().orElseThrow().release()).isTrue();
    }

    @Test
    void registersNoRedisClient() {
        assertThat(Arc.container().listAll(Redis.class)).isEmpty();
    }

    @ApplicationScoped
    public static class Reports {

        @RedisBulkhead(name = "reports", permits = 1)
        String render(Supplier<String> body) {
            return body.get();
        }
    }
}
