package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestHeader;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkiverse.redisbulkhead.testredis.Gate;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** Responses to the clients of a REST application: {@code Retry-After}, nothing internal, and 400 for invalid keys. */
class RestRejectionsTest {

    private static final Duration EXECUTION = Duration.ofSeconds(3);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.METRICS))
            .withApplicationRoot(jar -> jar.addClasses(Endpoints.class, ByType.class, Typed.class, Shelves.class, Scrape.class,
                    Scrape.Sample.class, OptionalExtensions.class))
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"fixed\".rest.retry-after", "1m")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"silent\".rest.retry-after", "none")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"off\".enabled", "false");

    /** While an execution holds the only permit. */
    private Response rejectionOf(String path) throws Exception {
        Gate.shut();
        Caller<Response> holder = Caller.of(() -> when().get(path));
        await().atMost(20, TimeUnit.SECONDS).until(() -> Gate.inside() == 1);
        try {
            Response rejection = when().get(path);
            assertThat(rejection.statusCode()).isEqualTo(429);
            return rejection;
        } finally {
            Gate.open();
            assertThat(holder.result().statusCode()).isEqualTo(200);
        }
    }

    @Test
    @DisplayName("Trap 42: Retry-After follows recent executions, not the end of the lease, and is at least 1")
    void retryAfterIsAnEstimate() throws Exception {
        for (int call = 0; call < 3; call++) {
            when().get("/quick").then().statusCode(200);
        }
        // A lease is 30 seconds, and a busy machine may delay an execution by some.
        assertThat(retryAfter(rejectionOf("/quick"))).isBetween(1, 10);

        Gate.shut();
        Caller<Response> slow = Caller.of(() -> when().get("/slow"));
        await().atMost(20, TimeUnit.SECONDS).until(() -> Gate.inside() == 1);
        await().pollDelay(EXECUTION).atMost(20, TimeUnit.SECONDS).until(() -> true);
        Gate.open();
        assertThat(slow.result().statusCode()).isEqualTo(200);
        assertThat(retryAfter(rejectionOf("/slow"))).isBetween((int) EXECUTION.toSeconds(), 20);
    }

    private static int retryAfter(Response rejection) {
        return Integer.parseInt(rejection.header("Retry-After"));
    }

    @Test
    void bodyContainsNothingInternal() throws Exception {
        Response rejection = rejectionOf("/quick");
        assertThat(rejection.contentType()).startsWith("application/problem+json");
        assertThat(rejection.jsonPath().<Map<String, Object>> get()).isEqualTo(Map.of("type", "about:blank", "title",
                "Too many concurrent executions", "status", 429, "retry-after", retryAfter(rejection)));
    }

    @Test
    void retryAfterIsConfigurable() throws Exception {
        assertThat(retryAfter(rejectionOf("/fixed"))).isEqualTo(60);

        Response silent = rejectionOf("/silent");
        assertThat(silent.header("Retry-After")).isNull();
        assertThat(silent.jsonPath().<Map<String, Object>> get()).containsOnlyKeys("type", "title", "status");
    }

    @ParameterizedTest
    @CsvSource({ "/by-text, text", "/by-id, id", "/by-id?tenant=, id", "/by-id?tenant=unknown, id", "/by-path/unknown, path",
            "/by-number, number", "/by-number?tenant=many, number", "/by-number?tenant=1.5, number", "/by-header, header",
            "/by-type, type", "/by-type?tenant=many, type",
            "/with-default?customer=many, default", "/two?tenant=one, two" })
    void missingOrMalformedKeyIsABadRequest(String request, String bulkhead) {
        double before = invalidKeys(bulkhead);

        Response refused = when().get(request);

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.contentType()).startsWith("application/problem+json");
        assertThat(refused.header("Retry-After")).isNull();
        assertThat(refused.jsonPath().<Map<String, Object>> get()).isEqualTo(
                Map.of("type", "about:blank", "title", "A parameter is missing or malformed", "status", 400));
        assertThat(invalidKeys(bulkhead)).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @CsvSource({ "/by-text?tenant=acme, acme",
            "/by-id?tenant=7e1c6f5e-2f3e-4c1e-9d49-2f4f1c8d9b11, 7e1c6f5e-2f3e-4c1e-9d49-2f4f1c8d9b11",
            "/by-path/7e1c6f5e-2f3e-4c1e-9d49-2f4f1c8d9b11, 7e1c6f5e-2f3e-4c1e-9d49-2f4f1c8d9b11", "/by-number?tenant=0, 0",
            "/by-number?tenant=-7, -7", "/by-type?tenant=6, 6", "/with-default, 3", "/with-default?customer=4, 4",
            "/two?tenant=1&page=2, 1 2" })
    void acceptsOtherKeys(String request, String answer) {
        when().get(request).then().statusCode(200).body(is(answer));
        given().header("X-Tenant", "5").get("/by-header").then().statusCode(200).body(is("5"));
        given().header("X-Tenant", "five").get("/by-header").then().statusCode(400);
    }

    /** Quarkus REST responds as it would without a bulkhead. */
    @Test
    void ignoresOtherParametersAndDisabledBulkheads() {
        when().get("/two?tenant=1&page=one").then().statusCode(404);
        when().get("/off?tenant=5").then().statusCode(200).body(is("5"));
        when().get("/off").then().statusCode(200).body(is("0"));
        when().get("/off?tenant=many").then().statusCode(404);
    }

    /** The request of the client is valid. */
    @Test
    void nullKeyOfAnotherBeanIsAServerError() {
        double before = invalidKeys("shelf");
        when().get("/indirect").then().statusCode(500);
        assertThat(invalidKeys("shelf")).isEqualTo(before + 1);
    }

    private static double invalidKeys(String bulkhead) {
        return Scrape.now().value("redis_bulkhead_calls_total", "bulkhead", bulkhead, "result", "invalidKey");
    }

    @Singleton
    public static class Shelves {
        @RedisBulkhead(name = "shelf", permits = 1)
        public String shelf(@BulkheadKey String tenant) {
            return tenant;
        }
    }

    public interface ByType<K> {
        @GET
        @Path("by-type")
        String byType(@RestQuery K tenant);
    }

    public abstract static class Typed implements ByType<Integer> {
        @Override
        @RedisBulkhead(name = "type", permits = 1)
        public String byType(@BulkheadKey Integer tenant) {
            return tenant.toString();
        }
    }

    @Path("/")
    public static class Endpoints extends Typed {
        @Inject
        Shelves shelves;

        @GET
        @Path("quick")
        @RedisBulkhead(name = "quick", permits = 1)
        public String quick() {
            return Gate.pass();
        }

        @GET
        @Path("slow")
        @RedisBulkhead(name = "slow", permits = 1)
        public String slow() {
            return Gate.pass();
        }

        @GET
        @Path("fixed")
        @RedisBulkhead(name = "fixed", permits = 1)
        public String fixed() {
            return Gate.pass();
        }

        @GET
        @Path("silent")
        @RedisBulkhead(name = "silent", permits = 1)
        public String silent() {
            return Gate.pass();
        }

        @GET
        @Path("by-text")
        @RedisBulkhead(name = "text", permits = 1)
        public String byText(@BulkheadKey @RestQuery String tenant) {
            return tenant;
        }

        @GET
        @Path("by-id")
        @RedisBulkhead(name = "id", permits = 1)
        public String byId(@BulkheadKey @RestQuery UUID tenant) {
            return tenant.toString();
        }

        @GET
        @Path("by-path/{tenant}")
        @RedisBulkhead(name = "path", permits = 1)
        public String byPath(@BulkheadKey @RestPath UUID tenant) {
            return tenant.toString();
        }

        @GET
        @Path("by-number")
        @RedisBulkhead(name = "number", permits = 1)
        public String byNumber(@BulkheadKey @RestQuery int tenant) {
            return Integer.toString(tenant);
        }

        @GET
        @Path("by-header")
        @RedisBulkhead(name = "header", permits = 1)
        public String byHeader(@BulkheadKey @RestHeader("X-Tenant") Long tenant) {
            return tenant.toString();
        }

        @GET
        @Path("with-default")
        @RedisBulkhead(name = "default", permits = 1)
        public String withDefault(@BulkheadKey @RestQuery @DefaultValue("3") int customer) {
            return Integer.toString(customer);
        }

        @GET
        @Path("two")
        @RedisBulkhead(name = "two", permits = 1)
        public String two(@RestQuery int page, @BulkheadKey @RestQuery int tenant) {
            return tenant + " " + page;
        }

        @GET
        @Path("off")
        @RedisBulkhead(name = "off", permits = 1)
        public String off(@BulkheadKey @RestQuery int tenant) {
            return Integer.toString(tenant);
        }

        @GET
        @Path("indirect")
        public String indirect() {
            return shelves.shelf(null);
        }
    }
}
