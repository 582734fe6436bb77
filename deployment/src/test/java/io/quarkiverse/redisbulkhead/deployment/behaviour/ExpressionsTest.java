package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.QuarkusUnitTest;

/** Annotation members may contain property expressions, which are resolved when the application starts. */
class ExpressionsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Shop.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "local")
            .overrideConfigKey("app.region", "built")
            .overrideRuntimeConfigKey("app.region", "eu")
            .overrideRuntimeConfigKey("app.kind", "books")
            .overrideRuntimeConfigKey("app.books.name", "of.books")
            .overrideConfigKey("quarkus.redis-bulkhead.\"built-orders\".permits", "9")
            .overrideConfigKey("quarkus.redis-bulkhead.\"eu-orders\".permits", "2")
            .overrideConfigKey("quarkus.redis-bulkhead.\"us-orders\".permits", "7");

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Shop shop;

    @Test
    void resolvesNames() {
        assertThat(bulkheads.names()).containsExactlyInAnyOrder("eu-orders", "of.books", "price$", "${quoted}", "fallback",
                "${escaped}");
    }

    @Test
    void appliesTheConfigurationOfTheResolvedName() {
        assertThat(bulkheads.semaphore("eu-orders").status().limit()).isEqualTo(2);
    }

    @Test
    void bothMethodsShareTheBulkhead() {
        RedisSemaphore orders = bulkheads.semaphore("eu-orders");
        try (Permit one = orders.acquire(Duration.ZERO); Permit other = orders.acquire(Duration.ZERO)) {
            assertThatExceptionOfType(BulkheadFullException.class).isThrownBy(shop::order)
                    .satisfies(rejected -> assertThat(rejected.name()).isEqualTo("eu-orders"));
            assertThatExceptionOfType(BulkheadFullException.class).isThrownBy(shop::buy);
        }
        assertThat(shop.order()).isEqualTo("eu-orders");
        assertThat(shop.buy()).isEqualTo("eu-orders");
    }

    @Test
    void supportsNestedExpressionsDefaultsAndEscapes() {
        assertThat(shop.nested()).isEqualTo("of.books");
        assertThat(shop.byDefault()).isEqualTo("fallback");
        assertThat(shop.dollar()).isEqualTo("price$");
        assertThat(shop.quoted()).isEqualTo("${quoted}");
        assertThat(shop.escaped()).isEqualTo("${escaped}");
    }

    @ApplicationScoped
    public static class Shop {

        @Inject
        CurrentPermit permit;

        @RedisBulkhead(name = "${app.region}-orders")
        String order() {
            return permit.get().bulkhead();
        }

        @RedisBulkhead(name = "${app.unset.region:eu}-orders")
        String buy() {
            return permit.get().bulkhead();
        }

        @RedisBulkhead(name = "${app.${app.kind}.name}", permits = 1)
        String nested() {
            return permit.get().bulkhead();
        }

        @RedisBulkhead(name = "${app.unset.name:fallback}", permits = 1, expire = "${app.unset.lease:${app.unset.other:10s}}")
        String byDefault() {
            return permit.get().bulkhead();
        }

        @RedisBulkhead(name = "price$", permits = 1)
        String dollar() {
            return permit.get().bulkhead();
        }

        @RedisBulkhead(name = "$${quoted}", permits = 1)
        String quoted() {
            return permit.get().bulkhead();
        }

        @RedisBulkhead(name = "\\${escaped}", permits = 1)
        String escaped() {
            return permit.get().bulkhead();
        }
    }
}
