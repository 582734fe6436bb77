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

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.ExtendedApplication;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.test.QuarkusUnitTest;

/**
 * If all bulkheads continue without Redis, the health check of the Quarkus Redis client is still down. If Redis hangs, the
 * check takes ten seconds. One warning at start-up says both.
 */
class CheckOfTheClientTest {

    static final KillableRedis REDIS = new KillableRedis("check-of-the-client-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = ExtendedApplication.with(OptionalExtensions.HEALTH)
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, KillableRedis.class, ExtendedApplication.class,
                    OptionalExtensions.class))
            .overrideConfigKey("quarkus.redis.hosts", REDIS.address())
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.on-outage", "local")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"partner\".on-outage", "allow")
            .assertLogRecords(records -> assertThat(records)
                    .filteredOn(record -> record.getMessage().contains("readiness check")).singleElement()
                    .satisfies(record -> {
                        assertThat(record.getLevel().getName()).isEqualTo("WARN");
                        assertThat(record.getMessage()).contains("10000 ms (quarkus.redis.timeout)", "within 1000 ms",
                                "all bulkheads continue", "set quarkus.redis.health.enabled=false");
                    }));

    @BeforeEach
    void start() {
        REDIS.start();
    }

    @AfterAll
    static void stop() {
        REDIS.stop();
    }

    @Test
    void onlyTheCheckOfTheClientIsDown() {
        // A busy machine may delay the first replies from Redis too long.
        await().atMost(60, TimeUnit.SECONDS).until(() -> when().get("/q/health/ready").statusCode() == 200);
        REDIS.stop();

        when().get("/q/health/ready").then().statusCode(503)
                .body("checks.find { it.name == 'Redis bulkheads' }.status", is("UP"))
                .body("checks.find { it.name == 'Redis bulkheads' }.data.redis", is("away"))
                .body("checks.find { it.name == 'Redis connection health check' }.status", is("DOWN"));
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 5)
        void report() {
        }

        @RedisBulkhead(name = "partner", permits = 5)
        void partner() {
        }
    }
}
