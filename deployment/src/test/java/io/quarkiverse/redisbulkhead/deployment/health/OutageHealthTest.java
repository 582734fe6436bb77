package io.quarkiverse.redisbulkhead.deployment.health;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.ExtendedApplication;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.test.QuarkusUnitTest;

/** A bulkhead that rejects calls in an outage makes the application not ready; the check reports the policy of others. */
class OutageHealthTest {

    static final KillableRedis REDIS = new KillableRedis("outage-health-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = ExtendedApplication.with(OptionalExtensions.HEALTH)
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, KillableRedis.class, ExtendedApplication.class,
                    OptionalExtensions.class))
            .overrideConfigKey("quarkus.redis.hosts", REDIS.address())
            .overrideConfigKey("quarkus.redis.health.enabled", "false")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"partner\".on-outage", "allow")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"crawler\".on-outage", "local")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"crawler\".local-permits", "2")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"pages\".on-outage", "local")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"off\".enabled", "false")
            .assertLogRecords(records -> assertThat(records)
                    .noneMatch(record -> record.getMessage().contains("readiness check")));

    @BeforeEach
    void start() {
        REDIS.start();
    }

    @AfterAll
    static void stop() {
        REDIS.stop();
    }

    @Test
    void downWhileCallsAreRejected() {
        awaitUp();
        REDIS.stop();

        when().get("/q/health/ready").then().statusCode(503).body("status", is("DOWN"))
                .rootPath("checks.find { it.name == 'Redis bulkheads' }")
                .body("status", is("DOWN"))
                .body("data.store", is("script"))
                .body("data.redis", is("away"))
                .body("data.'bulkhead.reports'", is("calls are rejected (on-outage=reject)"))
                .body("data.'bulkhead.partner'", is("calls run without a limit (on-outage=allow)"))
                .body("data.'bulkhead.crawler'", is("limit of this process: 2 (on-outage=local)"))
                .body("data.'bulkhead.pages'", is("limit of this process for each key: 3 (on-outage=local)"))
                .body("data.'bulkhead.off'", is("disabled, so calls run without a limit"));

        when().get("/q/health/live").then().statusCode(200);

        REDIS.start();
        awaitUp();
    }

    /** Trap 25: the server replies neither to reads nor to new connections. */
    @Test
    void downWhileTheServerIsPaused() throws Exception {
        awaitUp();
        try (AutoCloseable frozen = REDIS.freeze()) {
            when().get("/q/health/ready").then().statusCode(503).body("checks[0].data.redis", is("away"));
        }
        awaitUp();
    }

    // A probe detects that Redis is back. A busy machine may still delay one reply too long.
    private static void awaitUp() {
        await().atMost(60, TimeUnit.SECONDS).untilAsserted(OutageHealthTest::isUp);
    }

    private static void isUp() {
        when().get("/q/health/ready").then().statusCode(200).body("status", is("UP"))
                .rootPath("checks.find { it.name == 'Redis bulkheads' }")
                .body("status", is("UP"))
                .body("data.redis", is("answers"))
                .body("data.'bulkhead.reports'", is("limited in Redis"))
                .body("data.'bulkhead.off'", is("disabled, so calls run without a limit"));
    }

    @ApplicationScoped
    public static class Guarded {
        @RedisBulkhead(name = "reports", permits = 5)
        void report() {
        }

        @RedisBulkhead(name = "partner", permits = 5)
        void partner() {
        }

        @RedisBulkhead(name = "crawler", permits = 5)
        void crawl() {
        }

        @RedisBulkhead(name = "pages", permits = 3)
        void page(@BulkheadKey String host) {
        }

        @RedisBulkhead(name = "off", permits = 1)
        void off() {
        }
    }
}
