package io.quarkiverse.redisbulkhead.deployment.management;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import java.net.URL;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.deployment.ExtendedApplication;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.restassured.specification.RequestSpecification;

/**
 * The endpoint, its description and the readiness check on the management interface, secured there. Redis stops and starts;
 * all bulkheads of this application continue without it.
 */
class ManagementInterfaceTest {

    static final KillableRedis REDIS = new KillableRedis("management-interface-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = ExtendedApplication
            .with(OptionalExtensions.USERS, OptionalExtensions.OPENAPI, OptionalExtensions.HEALTH)
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, KillableRedis.class, ExtendedApplication.class,
                    OptionalExtensions.class))
            .overrideConfigKey("quarkus.redis.hosts", REDIS.address())
            .overrideConfigKey("quarkus.redis-bulkhead.management.enabled", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.management.changes-enabled", "true")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.on-outage", "local")
            .overrideConfigKey("quarkus.management.enabled", "true")
            .overrideRuntimeConfigKey("quarkus.management.test-port", "0")
            .overrideConfigKey("quarkus.management.auth.basic", "true")
            .overrideRuntimeConfigKey("quarkus.management.auth.policy.operators.roles-allowed", "operator")
            .overrideRuntimeConfigKey("quarkus.management.auth.permission.operators.paths", "/q/redis-bulkhead/*")
            .overrideRuntimeConfigKey("quarkus.management.auth.permission.operators.policy", "operators")
            .assertLogRecords(records -> assertThat(records)
                    .noneMatch(record -> record.getMessage().contains("Any client that reaches"))
                    .anyMatch(record -> record.getMessage().startsWith("The Redis client has a readiness check of its own")));

    @TestHTTPResource(value = "/redis-bulkhead", management = true)
    URL endpoint;

    @TestHTTPResource(value = "/health/ready", management = true)
    URL ready;

    @TestHTTPResource(value = "/openapi", management = true)
    URL openApi;

    @Inject
    RedisBulkheads bulkheads;

    @BeforeEach
    void start() {
        REDIS.start();
        // The application may have started without it. A probe detects that Redis is available.
        await().atMost(60, TimeUnit.SECONDS).pollDelay(Duration.ZERO).ignoreExceptions()
                .until(() -> !bulkheads.semaphore("reports").status().resized());
    }

    @AfterAll
    static void stop() {
        REDIS.stop();
    }

    @Test
    void servesTheEndpointOnlyOnTheManagementInterface() {
        as("olga").get(endpoint).then().statusCode(200).body("bulkheads[0].name", is("reports"));
        as("olga").get("/q/redis-bulkhead").then().statusCode(404);
    }

    @Test
    void appliesTheSecurityOfTheManagementInterface() {
        String limit = endpoint + "/reports/limit";
        String body = "{\"permits\": 7}";
        given().get(endpoint).then().statusCode(401);
        given().contentType("application/json").body(body).put(limit).then().statusCode(401);
        as("victor").contentType("application/json").body(body).put(limit).then().statusCode(403);
        as("victor").delete(endpoint + "/reports/permits/any").then().statusCode(403);
        assertThat(bulkheads.semaphore("reports").status().limit()).isEqualTo(5);

        as("olga").contentType("application/json").body(body).put(limit).then().statusCode(204);
        assertThat(bulkheads.semaphore("reports").status().limit()).isEqualTo(7);
        as("olga").delete(limit).then().statusCode(204);
        as("olga").delete(endpoint + "/reports/permits/any").then().statusCode(404).contentType("application/problem+json");
    }

    /** The management interface reads bodies itself, with its own bound. */
    @Test
    void boundsTheBody() {
        as("olga").contentType("application/json").body("{\"permits\": 7" + " ".repeat(2_000) + "}")
                .put(endpoint + "/reports/limit").then().statusCode(413).contentType("application/problem+json");
        assertThat(bulkheads.semaphore("reports").status().resized()).isFalse();
    }

    /** Pages of other origins may read from the management interface, but not change anything. */
    @Test
    void rejectsCrossOriginChanges() {
        given().header("Origin", "https://elsewhere.example").header("Access-Control-Request-Method", "DELETE")
                .options(endpoint + "/reports/limit").then()
                .header("Access-Control-Allow-Methods", not(containsString("DELETE")));
    }

    @Test
    void openApiDescribesTheEndpointOnTheManagementInterface() {
        given().accept("application/json").get(openApi).then().statusCode(200)
                .body("paths", hasKey("/q/redis-bulkhead"))
                .body("paths", hasKey("/q/redis-bulkhead/{name}/limit"));
    }

    /** All bulkheads continue, but the Redis client has a check of its own. */
    @Test
    void withoutRedisTheEndpointIsUnavailableAndOnlyTheCheckOfTheClientDown() {
        await().atMost(60, TimeUnit.SECONDS).until(() -> given().get(ready).statusCode() == 200);
        REDIS.stop();

        given().get(ready).then().statusCode(503)
                .body("checks.find { it.name == 'Redis connection health check' }.status", is("DOWN"))
                .rootPath("checks.find { it.name == 'Redis bulkheads' }")
                .body("status", is("UP"))
                .body("data.redis", is("away"))
                .body("data.'bulkhead.reports'", is("limit of this process: 5 (on-outage=local)"));
        as("olga").delete(endpoint + "/reports/limit").then().statusCode(503).contentType("application/problem+json");
        String problem = as("olga").get(endpoint).then().statusCode(503).contentType("application/problem+json")
                .header("Retry-After", "1").extract().asString();
        assertThat(problem).doesNotContain("127.0.0.1");

        REDIS.start();
        // A probe detects that Redis is back.
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> as("olga").delete(endpoint + "/reports/limit").statusCode() == 204);
        as("olga").get(endpoint).then().statusCode(200);
    }

    private static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, "secret");
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 5)
        void report() {
        }
    }
}
