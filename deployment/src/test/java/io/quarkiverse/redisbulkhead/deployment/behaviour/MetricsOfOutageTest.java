package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkus.test.QuarkusUnitTest;

/** Metrics report an outage, and omit values that are unknown during it. */
class MetricsOfOutageTest {

    static final KillableRedis REDIS = new KillableRedis("metrics-of-outage-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(OptionalExtensions.class, Guarded.class, KillableRedis.class, Scrape.class,
                            Scrape.Sample.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.METRICS))
            .overrideConfigKey("quarkus.redis.hosts", REDIS.address())
            .overrideConfigKey("quarkus.redis-bulkhead.\"open\".on-outage", "allow")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.cluster-interval", "100ms");

    @Inject
    Guarded guarded;

    @AfterAll
    static void stop() {
        REDIS.stop();
    }

    @Test
    void reportsAnOutageUntilRedisIsAvailable() {
        assertThatThrownBy(guarded::closed).isInstanceOf(BulkheadUnavailableException.class);
        guarded.open();

        Scrape away = Scrape.now();
        assertThat(away.value("redis_bulkhead_calls_total", "bulkhead", "closed", "result", "unavailable"))
                .isEqualTo(1);
        assertThat(away.value("redis_bulkhead_calls_total", "bulkhead", "open", "result", "bypassed")).isEqualTo(1);
        assertThat(away.value("redis_bulkhead_operation_duration_seconds_count", "operation", "sync", "outcome", "failure"))
                .isGreaterThanOrEqualTo(2);
        assertThat(away.value("redis_bulkhead_permits_in_use", "bulkhead", "closed")).isNaN();
        assertThat(away.value("redis_bulkhead_permits_limit", "bulkhead", "closed")).isNaN();

        REDIS.start();
        awaitLimit(3.0);
        REDIS.stop();
        awaitLimit(Double.NaN);
    }

    // Boxed, because NaN equals itself only as an object.
    private static void awaitLimit(Double limit) {
        await().atMost(Duration.ofSeconds(20)).pollDelay(Duration.ZERO).untilAsserted(
                () -> assertThat(Scrape.now().value("redis_bulkhead_permits_limit", "bulkhead", "closed")).isEqualTo(limit));
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "closed", permits = 3)
        void closed() {
        }

        @RedisBulkhead(name = "open", permits = 3)
        void open() {
        }
    }
}
