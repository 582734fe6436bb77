package io.quarkiverse.redisbulkhead.deployment.management;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.ExtendedApplication;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.deployment.OtherInstance;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;

/** The endpoint on the application's port, with changes enabled, secured by permissions of the application. */
class ManagementEndpointTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String ALL = "/q/redis-bulkhead";
    private static final String STRANGE = "100% of <b>a/b</b> & ü";
    private static final String STRANGE_ENCODED = "100%25%20of%20%3Cb%3Ea%2Fb%3C%2Fb%3E%20%26%20%C3%BC";

    @RegisterExtension
    static final QuarkusUnitTest APP = ExtendedApplication.with(OptionalExtensions.USERS, OptionalExtensions.OPENAPI)
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, Losses.class, ExtendedApplication.class,
                    OptionalExtensions.class, OtherInstance.class))
            .overrideConfigKey("quarkus.application.name", "shop")
            .overrideConfigKey("quarkus.redis-bulkhead.management.enabled", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.management.changes-enabled", "true")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "2s")
            .overrideConfigKey("quarkus.http.auth.basic", "true")
            .overrideRuntimeConfigKey("quarkus.http.auth.policy.look.roles-allowed", "operator,viewer")
            .overrideRuntimeConfigKey("quarkus.http.auth.policy.change.roles-allowed", "operator")
            .overrideRuntimeConfigKey("quarkus.http.auth.permission.look.paths", "/q/redis-bulkhead/*")
            .overrideRuntimeConfigKey("quarkus.http.auth.permission.look.methods", "GET")
            .overrideRuntimeConfigKey("quarkus.http.auth.permission.look.policy", "look")
            .overrideRuntimeConfigKey("quarkus.http.auth.permission.change.paths", "/q/redis-bulkhead/*")
            .overrideRuntimeConfigKey("quarkus.http.auth.permission.change.methods", "PUT,DELETE")
            .overrideRuntimeConfigKey("quarkus.http.auth.permission.change.policy", "change")
            .assertLogRecords(records -> assertThat(records)
                    .noneMatch(record -> record.getMessage().contains("Any client that reaches"))
                    .anyMatch(record -> String.format(record.getMessage(), record.getParameters())
                            .equals("User 'olga' set the limit of bulkhead 'reports' to 7 through the management endpoint"))
                    .anyMatch(record -> String.format(record.getMessage(), record.getParameters())
                            .equals("User 'olga' set the limit of a key of bulkhead 'pages' to 9 through the management"
                                    + " endpoint")));

    @Inject
    Guarded guarded;

    @Inject
    Losses losses;

    @Inject
    Vertx vertx;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @ConfigProperty(name = "quarkus.http.test-port")
    int port;

    @Inject
    RedisBulkheads bulkheads;

    private final List<Permit> permits = new ArrayList<>();
    private final List<OtherInstance> others = new ArrayList<>();

    @AfterEach
    void releaseAll() {
        permits.forEach(Permit::close);
        permits.clear();
        others.forEach(OtherInstance::close);
        others.clear();
    }

    @Test
    void listsAllBulkheads() {
        Permit permit = take(bulkheads.semaphore("reports"));
        take(bulkheads.semaphore("pages").forKey("example.org/<script>"));
        take(bulkheads.semaphore(SemaphoreSpec.named("in-code").permits(4).weight(2).build()));

        await().atMost(LONG).untilAsserted(() -> as("victor").get(ALL).then().statusCode(200)
                .contentType("application/json").header("Cache-Control", "no-store").header("X-Content-Type-Options", "nosniff")
                .body("$", not(hasKey("incomplete")))
                .body("bulkheads.findAll { it.declared || it.definedInCode }.name",
                        contains(STRANGE, "exports", "in-code", "pages", "reports"))
                .rootPath("bulkheads.find { it.name == 'in-code' }")
                .body("declared", is(false))
                .body("definedInCode", is(true))
                .body("definition.permits", is(4))
                .body("definition.weight", is(2))
                .body("limits[0].limit", is(4))
                .body("limits[0].inUse", is(2))
                .body("limits[0].holders", hasSize(1))
                .body("limits[0].holders[0].weight", is(2))
                .rootPath("bulkheads.find { it.name == 'pages' }")
                .body("keyed", is(true))
                .body("limits.key", contains("example.org/<script>"))
                .rootPath("bulkheads.find { it.name == 'reports' }")
                .body("declared", is(true))
                .body("definedInCode", is(false))
                .body("keyed", is(false))
                .body("definition.permits", is(5))
                .body("definition.weight", is(1))
                .body("definition.expire", is("PT30S"))
                .body("definition.maxWait", is("PT2S"))
                .body("definition", not(hasKey("maxHold")))
                .body("definition.onOutage", is("reject"))
                .body("definition.keepIdle", is("PT1S"))
                .body("methods", contains("Guarded#report"))
                .body("limits", hasSize(1))
                .body("limits[0].limit", is(5))
                .body("limits[0].declaredLimits", contains(5))
                .body("limits[0].inUse", is(1))
                .body("limits[0].waiting", is(0))
                .body("limits[0].holders[0].permitId", is(permit.id()))
                .body("limits[0].holders[0].fencingToken", is(Long.toString(permit.fencingToken())))
                .body("limits[0].holders[0].application", is("shop"))
                .body("limits[0].holders[0].method", startsWith(ManagementEndpointTest.class.getSimpleName())));
        assertThat(permit.fencingToken()).as("a string, because a double cannot represent it exactly").isPositive();
        String since = as("victor").get(ALL + "/reports").path("limits[0].holders[0].since");
        String until = as("victor").get(ALL + "/reports").path("limits[0].holders[0].until");
        assertThat(Instant.parse(since)).isBefore(Instant.parse(until));
    }

    @Test
    void listsWaiters() {
        RedisSemaphore one = bulkheads.semaphore("pages").forKey("waited for", 1);
        take(one);
        var waiting = one.acquireAsync(LONG).subscribeAsCompletionStage();

        await().atMost(LONG).untilAsserted(() -> as("victor").get(ALL + "/pages").then()
                .rootPath("limits.find { it.key == 'waited for' }")
                .body("waiting", is(1))
                .body("waiters[0].application", is("shop"))
                .body("waiters[0].ticket", is("0")));

        permits.get(0).close();
        waiting.join().close();
    }

    @Test
    void boundsTheList() {
        take(bulkheads.semaphore("reports"));
        take(bulkheads.semaphore("reports"));

        await().atMost(LONG).untilAsserted(
                () -> as("victor").get(ALL + "/reports?most=1").then().body("limits[0].inUse", is(2))
                        .body("limits[0].holders", hasSize(1)));
        as("victor").get(ALL + "/reports?most=0").then().body("limits[0].holders", hasSize(0));
    }

    @Test
    void acceptsAnyName() {
        as("victor").get(ALL + "/" + STRANGE_ENCODED).then().statusCode(200).body("name", is(STRANGE));
        setLimit(STRANGE_ENCODED + "/limit", "{\"permits\": 3}").then().statusCode(204);
        assertThat(bulkheads.semaphore(STRANGE).status().limit()).isEqualTo(3);
        as("olga").delete(ALL + "/" + STRANGE_ENCODED + "/limit").then().statusCode(204);
        assertThat(bulkheads.semaphore(STRANGE).status().limit()).isEqualTo(1);
    }

    @Test
    void unknownNamesAndPermitsAre404() {
        problem(as("victor").get(ALL + "/report"), 404, "Did you mean 'reports'?");
        problem(as("victor").get(ALL + "/%3Cscript%3E"), 404, "There is no bulkhead '<script>'");
        problem(setLimit("report/limit", "{\"permits\": 3}"), 404, "report");
        problem(as("olga").delete(ALL + "/report/limit"), 404, "Did you mean 'reports'?");
        problem(as("olga").delete(ALL + "/reports/permits/%3Cscript%3E"), 404, "no such permit");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "/q/redis-bulkhead?most=-1 | most must be a number from 0 to 1000",
            "/q/redis-bulkhead?most=1001 | most must be a number from 0 to 1000",
            "/q/redis-bulkhead?most=many | most must be a number from 0 to 1000",
            "/q/redis-bulkhead?mots=1 | Unknown query parameter 'mots'. Known: most",
            "/q/redis-bulkhead?bulkhead=reports | Unknown query parameter 'bulkhead'",
            "/q/redis-bulkhead?most=1&most=2 | more than once",
            "/q/redis-bulkhead?most=%FF | not UTF-8" })
    void invalidRequestsAre400(String url, String detail) {
        problem(as("victor").get(url), 400, detail);
    }

    @ParameterizedTest
    @ValueSource(strings = { "{'permits': 0}", "{'permits': 2147483648}", "{'permits': 1.5}", "{'permits': '3'}",
            "{'permits': null}", "{}", "{'permits': 3, 'key': 'a'}", "[3]", "{'permits':" })
    void invalidBodiesAre400(String body) {
        problem(setLimit("reports/limit", body.replace('\'', '"')), 400,
                "with the member permits, a whole number from 1 to 2147483647");
        assertThat(bulkheads.semaphore("reports").status().resized()).isFalse();
    }

    @Test
    void rejectsEmptyUnsupportedAndLargeBodies() {
        String url = ALL + "/reports/limit";
        problem(as("olga").contentType("application/json").put(url), 400, "The body must be a JSON object");
        problem(as("olga").contentType("text/plain").body("{\"permits\": 3}").put(url), 415, "Content-Type: application/json");
        problem(as("olga").contentType("application/x-www-form-urlencoded").body("permits=3").put(url), 415, "Content-Type");
        problem(setLimit("reports/limit", "{\"permits\": 3" + " ".repeat(2_000) + "}"), 413, "1024 bytes");
        assertThat(bulkheads.semaphore("reports").status().resized()).isFalse();
    }

    /** As bytes, because clients refuse to send most of it. */
    @ParameterizedTest
    @ValueSource(strings = { "GET /%00", "GET /%", "GET /%zz", "GET /%C0%AF", "GET /%ED%A0%80", "GET /..%2F..", "GET /:name",
            "GET /%7Bname%7D", "GET /;a=b", "GET /%0D%0AX:%20y", "GET ?most=", "GET ?most=1e9", "GET ?=", "GET ?&&=", "POST ",
            "PATCH /reports/limit", "OPTIONS /reports/limit", "HEAD /reports", "DELETE /reports/permits/",
            "DELETE /reports/permits/%00", "DELETE /pages/limit?key=%", "DELETE /pages/limit?key=%ED%A0%80",
            "DELETE /lock:x/limit", "DELETE //limit", "PUT /%FF/limit {'permits':3}", "PUT /reports/limit null",
            "PUT /reports/limit {'permits':1e400}", "PUT /reports/limit {'permits':NaN}", "PUT /reports/limit {'permits':{}}",
            "PUT /reports/limit {'permits':3}{", "PUT /reports/limit {'permits':true}", "PUT /reports/limit \"\"" })
    void hostileRequestsAreRefusedWithoutATrace(String request) throws IOException {
        Permit witness = take(bulkheads.semaphore("reports"));
        String[] words = request.replace('\'', '"').split(" ", 3);
        String body = words.length > 2 ? words[2] : "";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write((words[0] + " " + ALL + words[1]
                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                    + "Authorization: Basic " + Base64.getEncoder().encodeToString("olga:secret".getBytes())
                    + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body).getBytes());
            String response = new String(socket.getInputStream().readAllBytes());
            assertThat(response).matches("(?s)HTTP/1.1 [234].*").doesNotContain("Exception", "\tat ");
            String content = response.substring(response.indexOf("\r\n\r\n") + 4);
            assertThat(content.startsWith("{") ? new JsonObject(content) : "no JSON").isNotNull();
        }
        assertThat(witness.refresh()).isTrue();
        assertThat(bulkheads.semaphore("reports").status().resized()).isFalse();
    }

    @Test
    void setsAndResetsTheLimit() {
        as("olga").contentType("application/json;charset=UTF-8").body("{\"permits\": 7}").put(ALL + "/reports/limit").then()
                .statusCode(204);
        assertThat(bulkheads.semaphore("reports").status().limit()).isEqualTo(7);
        // A change invalidates earlier reads.
        as("victor").get(ALL + "/reports").then().body("limits[0].limit", is(7)).body("limits[0].resized", is(true));

        as("olga").delete(ALL + "/reports/limit").then().statusCode(204);
        assertThat(bulkheads.semaphore("reports").status().limit()).isEqualTo(5);
        as("victor").get(ALL + "/reports").then().body("limits[0].limit", is(5)).body("limits[0].resized", is(false));
        as("olga").delete(ALL + "/reports/limit").then().statusCode(204);
    }

    @Test
    void setsTheLimitOfAKey() {
        String key = "a+b c%/ü";
        String encoded = "a%2Bb+c%25%2F%C3%BC";
        setLimit("pages/limit?key=" + encoded, "{\"permits\": 9}").then().statusCode(204);
        assertThat(bulkheads.semaphore("pages").forKey(key).status().limit()).isEqualTo(9);
        assertThat(bulkheads.semaphore("pages").forKey("other").status().limit()).isEqualTo(3);
        as("olga").delete(ALL + "/pages/limit?key=" + encoded).then().statusCode(204);
        assertThat(bulkheads.semaphore("pages").forKey(key).status().resized()).isFalse();

        problem(as("olga").delete(ALL + "/pages/limit"), 400, "has one limit for each key");
        problem(as("olga").delete(ALL + "/reports/limit?key=a"), 400, "has one limit for all calls");
        problem(as("olga").delete(ALL + "/pages/limit?kye=a"), 400, "Unknown query parameter 'kye'");
    }

    @Test
    void revokedHolderLosesItsPermit() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Void> running = guarded.export(end).subscribeAsCompletionStage();
        RedisSemaphore exports = bulkheads.semaphore("exports");
        await().atMost(LONG).until(() -> exports.holders().size() == 1);
        String permitId = exports.holders().get(0).permitId();

        as("olga").delete(ALL + "/exports/permits/" + permitId).then().statusCode(204);

        assertThat(exports.holders()).isEmpty();
        as("victor").get(ALL + "/exports").then().body("limits[0].inUse", is(0));
        problem(as("olga").delete(ALL + "/exports/permits/" + permitId), 404, "no such permit");
        await().atMost(LONG).until(() -> losses.contains(permitId));
        end.complete(null);
        running.join();
    }

    /** A bulkhead of another application. */
    @Test
    void changingABulkheadDoesNotDefineIt() {
        OtherInstance other = other();
        other.begin(SemaphoreSpec.named("foreign").permits(3).build(), "Invoices#send");

        await().atMost(LONG).until(() -> setLimit("foreign/limit", "{\"permits\": 4}").statusCode() == 204);

        as("victor").get(ALL + "/foreign").then().body("limits[0].limit", is(4)).body("definedInCode", is(false))
                .body("$", not(hasKey("definition")));
    }

    @Test
    void listsHoldersAndIdlePermitsOfOtherInstances() {
        OtherInstance other = other();
        SemaphoreSpec spec = SemaphoreSpec.named("of-billing").permits(3).keepIdle(Duration.ofMinutes(2)).build();
        other.begin(spec, "Invoices#send");
        other.begin(spec, "Invoices#print");

        await().atMost(LONG).untilAsserted(() -> as("victor").get(ALL + "/of-billing").then()
                .body("definedInCode", is(false))
                .body("limits[0].limit", is(3))
                .body("limits[0].inUse", is(2))
                .body("limits[0].idle", is(0))
                .body("limits[0].holders.application", contains("billing", "billing"))
                .body("limits[0].holders.instance", contains("other:7", "other:7"))
                .body("limits[0].holders.method", containsInAnyOrder("Invoices#send", "Invoices#print"))
                .body("limits[0].holders.state", contains("held", "held")));

        other.end();

        await().atMost(LONG).untilAsserted(() -> as("victor").get(ALL + "/of-billing").then()
                .body("limits[0].inUse", is(0))
                .body("limits[0].idle", is(2))
                .body("limits[0].idleAt.'other:7'", is(2))
                .body("limits[0].holders", hasSize(0)));
    }

    /**
     * Trap 54: an instance that was killed does not answer, so its share is shown. That is free when its lease ends, or an
     * operator revokes it.
     */
    @Test
    void revokesTheShareOfASilentInstance() {
        OtherInstance other = other();
        other.begin(SemaphoreSpec.named("of-dead").permits(3).expire(Duration.ofMinutes(5)).build(), "Invoices#send");
        String name = other.name();
        other.kill();
        await().atMost(LONG).untilAsserted(() -> as("victor").get(ALL + "/of-dead").then()
                .body("limits[0].inUse", is(1))
                .body("limits[0].holders.state", contains("silent"))
                .body("limits[0].holders.permitId", contains(name)));

        as("olga").delete(ALL + "/of-dead/permits/" + name).then().statusCode(204);

        problem(as("victor").get(ALL + "/of-dead"), 404, "of-dead");
    }

    @Test
    void listsLocksButDoesNotRevokeThem() {
        permits.add(bulkheads.lock("orders").tryLock().orElseThrow());

        await().atMost(LONG).untilAsserted(() -> as("victor").get(ALL + "/lock:orders").then().statusCode(200)
                .body("limits[0].limit", is(1))
                .body("limits[0].holders[0].permitId", is(permits.get(0).id())));
        problem(as("olga").delete(ALL + "/lock:orders/permits/" + permits.get(0).id()), 409, "belongs to a lock");
        assertThat(permits.get(0).isHeld()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { ALL, ALL + "/", ALL + "/reports", ALL + "?most=1", "/q/./redis-bulkhead",
            "//q/redis-bulkhead", "/q/%72edis-bulkhead" })
    void deniesRequestsWithoutARole(String url) {
        given().urlEncodingEnabled(false).get(url).then().statusCode(not(is(200))).body(not(containsString("bulkheads")));
    }

    @Test
    void usesTheRolesOfTheApplication() {
        String limit = ALL + "/reports/limit";
        String permit = ALL + "/reports/permits/any";
        given().delete(ALL + "/reports%2Flimit").then().statusCode(401);
        given().get(ALL).then().statusCode(401);
        as("victor").get(ALL).then().statusCode(200);
        for (RequestSpecification other : List.of(given(), as("victor"))) {
            String body = "{\"permits\": 3}";
            assertThat(other.contentType("application/json").body(body).put(limit).statusCode()).isBetween(401, 403);
            assertThat(other.delete(limit).statusCode()).isBetween(401, 403);
            assertThat(other.delete(permit).statusCode()).isBetween(401, 403);
        }
        assertThat(bulkheads.semaphore("reports").status().resized()).isFalse();

        as("olga").delete(limit).then().statusCode(204);
        as("olga").delete(permit).then().statusCode(404);
    }

    @Test
    void openApiDescribesTheEndpoint() {
        given().accept("application/json").get("/q/openapi").then().statusCode(200)
                .body("paths", hasKey(ALL)).body("paths", hasKey(ALL + "/{name}"))
                .body("paths.'/q/redis-bulkhead'.get.responses", hasKey("503"))
                .body("paths.'/q/redis-bulkhead'.get.responses.'200'.content.'application/json'.schema.'$ref'",
                        is("#/components/schemas/RedisBulkheads"))
                .body("paths.'/q/redis-bulkhead'.get.parameters.name", contains("most"))
                .body("paths.'/q/redis-bulkhead'.get.responses", not(hasKey("404")))
                .body("paths.'/q/redis-bulkhead/{name}/permits/{permitId}'.delete.parameters.name",
                        contains("name", "permitId", "key"))
                .body("paths.'/q/redis-bulkhead/{name}/limit'.put.requestBody.content.'application/json'.schema.'$ref'",
                        is("#/components/schemas/RedisBulkheadNewLimit"))
                .body("paths.'/q/redis-bulkhead/{name}/limit'.delete.responses", hasKey("204"))
                .body("tags.name", hasItem("Redis Bulkhead"));
    }

    /** Each member of the responses is described, and each required one is present. */
    @Test
    void openApiDescribesTheResponses() {
        take(bulkheads.semaphore("reports"));
        await().atMost(LONG).untilAsserted(
                () -> as("victor").get(ALL + "/reports").then().body("limits[0].holders", hasSize(1)));
        var schemas = given().accept("application/json").get("/q/openapi").jsonPath();
        var one = as("victor").get(ALL + "/reports").jsonPath();

        describes(schemas, "RedisBulkheads", as("victor").get(ALL).jsonPath().getMap("$"));
        describes(schemas, "RedisBulkhead", one.getMap("$"));
        describes(schemas, "RedisBulkheadDefinition", one.getMap("definition"));
        describes(schemas, "RedisBulkheadLimit", one.getMap("limits[0]"));
        describes(schemas, "RedisBulkheadHolder", one.getMap("limits[0].holders[0]"));
        describes(schemas, "RedisBulkheadProblem", as("victor").get(ALL + "/none").jsonPath().getMap("$"));
    }

    /** Each member is a property of the schema, and each required one is present. */
    private static void describes(JsonPath document, String schema, Map<String, Object> answer) {
        Map<String, Map<String, Object>> properties = document.getMap("components.schemas." + schema + ".properties");
        assertThat(properties.keySet()).as(schema).containsAll(answer.keySet());
        List<String> required = document.getList("components.schemas." + schema + ".required");
        assertThat(answer.keySet()).as(schema).containsAll(required == null ? List.of() : required);
        assertThat(properties.values()).as(schema)
                .allMatch(property -> property.containsKey("description") || property.containsKey("$ref"));
    }

    private OtherInstance other() {
        OtherInstance other = new OtherInstance(vertx, hosts, "billing", "other:7");
        others.add(other);
        return other;
    }

    private Permit take(RedisSemaphore semaphore) {
        Permit permit = semaphore.tryAcquire().orElseThrow();
        permits.add(permit);
        return permit;
    }

    private static RequestSpecification as(String user) {
        return given().urlEncodingEnabled(false).auth().preemptive().basic(user, "secret");
    }

    private static Response setLimit(String of, String body) {
        return as("olga").contentType("application/json").body(body).put(ALL + "/" + of);
    }

    private static ValidatableResponse problem(Response response, int status, String detail) {
        return response.then().statusCode(status).contentType("application/problem+json").header("Cache-Control", "no-store")
                .body("status", is(status)).body("detail", containsString(detail));
    }

    @ApplicationScoped
    public static class Losses {
        private final List<String> seen = new CopyOnWriteArrayList<>();

        void lost(@Observes PermitLost loss) {
            seen.add(loss.permitId());
        }

        boolean contains(String permitId) {
            return seen.contains(permitId);
        }
    }

    @ApplicationScoped
    public static class Guarded {
        @RedisBulkhead(name = "reports", permits = 5, maxWait = "2s")
        void report() {
        }

        @RedisBulkhead(name = "exports", permits = 1, expire = "6s")
        Uni<Void> export(CompletableFuture<Void> end) {
            return Uni.createFrom().completionStage(end);
        }

        @RedisBulkhead(name = "pages", permits = 3)
        void page(@BulkheadKey String host) {
        }

        @RedisBulkhead(name = STRANGE, permits = 1)
        void strange() {
        }
    }
}
