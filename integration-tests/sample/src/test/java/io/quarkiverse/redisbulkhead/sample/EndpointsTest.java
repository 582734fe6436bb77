package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.matchesPattern;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;

/** The endpoints of the sample: their limits, and the views and actions of operators. */
@QuarkusTest
class EndpointsTest extends SampleTestBase {

    private static final String EXPORTS = "bulkheads.find { it.name == 'exports' }.";
    private static final String REPORTS = "bulkheads.find { it.name == 'reports' }.";
    private static final int PAGES_OF_A_HOST = 3;

    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, textBlock = """
            path,           limit, bulkhead
            /reports,       5,     reports
            /reports/async, 5,     reports
            /partner/quote, 10,    partner-api
            /shapes/value,  2,     shapes
            /shapes/uni,    2,     shapes
            /shapes/stage,  2,     shapes
            /shapes/multi,  2,     shapes
            /shapes/lock,   1,     lock:shape
            """)
    @DisplayName("Trap 28: a call above the limit does not go out, and gets 429 and a Retry-After of at least 1")
    void callAboveTheLimitIsRejected(String path, int limit, String bulkhead) throws Exception {
        Gate gate = path.startsWith("/partner") ? outside.quotes : outside.reports;
        List<CompletableFuture<Response>> running = calls.get(limit, path);
        gate.awaitInside(limit);

        given().get(path).then()
                .statusCode(429)
                .header("Retry-After", Integer::valueOf, allOf(greaterThanOrEqualTo(1), lessThanOrEqualTo(30)))
                .contentType("application/problem+json")
                .body("bulkhead", equalTo(bulkhead));
        assertThat(gate.arrived()).isEqualTo(limit);

        gate.open();
        String answer = path.startsWith("/partner") ? "teapot" : "Sales";
        running.forEach(call -> call.join().then().statusCode(200).body(containsString(answer)));
        given().get(path).then().statusCode(200);
    }

    @Test
    void reportsShareALimitThatTheStatusShows() throws Exception {
        List<CompletableFuture<Response>> blocking = calls.get(3, "/reports");
        List<CompletableFuture<Response>> reactive = calls.get(2, "/reports/async");
        outside.reports.awaitInside(5);

        given().get("/reports").then().statusCode(429);
        given().get("/reports/async").then().statusCode(429);
        given().get("/status").then()
                .statusCode(200)
                .body(REPORTS + "limit", equalTo(5))
                .body(REPORTS + "inUse", equalTo(5))
                .body(REPORTS + "holders.application.unique()", equalTo(List.of("redis-bulkhead-sample")))
                .body(REPORTS + "holders.method.unique()",
                        containsInAnyOrder("ReportResource#render", "ReportResource#renderAsync"))
                .body("bulkheads.find { it.name == 'partner-api' }.inUse", equalTo(0));

        outside.reports.open();
        blocking.forEach(report -> report.join().then().statusCode(200));
        reactive.forEach(report -> report.join().then().statusCode(200));
        given().get("/status").then().body(REPORTS + "inUse", equalTo(0)).body(REPORTS + "holders", equalTo(List.of()));
    }

    /** With permits acquired in code. */
    @Test
    void archivesEachYearOnceAtATime() throws Exception {
        CompletableFuture<Response> one = calls.begin(() -> given().post("/archive/2023"));
        outside.reports.awaitInside(1);
        CompletableFuture<Response> other = calls.begin(() -> given().post("/archive/2024"));
        outside.reports.awaitInside(2);

        given().post("/archive/2023").then().statusCode(429).body("bulkhead", equalTo("archive"));
        assertThat(outside.reports.arrived()).isEqualTo(2);

        outside.reports.open();
        one.join().then().statusCode(200).body("year", equalTo(2023));
        other.join().then().statusCode(200).body("year", equalTo(2024));
        given().post("/archive/2023").then().statusCode(200);
    }

    @Test
    void crawlsThreePagesOfEachHostAtOnceAndEveryPageInTheEnd() throws Exception {
        CompletableFuture<Response> org = calls.get("/crawl?host=example.org&pages=8");
        outside.pages.awaitInside(PAGES_OF_A_HOST);
        CompletableFuture<Response> net = calls.get("/crawl?host=example.net&pages=3");
        outside.pages.awaitInside(2 * PAGES_OF_A_HOST);
        outside.pages.open();

        org.join().then().statusCode(200).body("$", hasSize(8));
        net.join().then().statusCode(200).body("$", hasSize(3));
        assertThat(outside.pages.peak()).isEqualTo(2 * PAGES_OF_A_HOST);
        assertThat(outside.pages.arrived()).isEqualTo(11);
    }

    @Test
    void eachTenantHasItsOwnLimitAndPayingTenantsHaveMore() throws Exception {
        List<CompletableFuture<Response>> running = IntStream.range(0, 8)
                .mapToObj(i -> calls.begin(() -> search(i < 4 ? "acme" : i < 6 ? "small" : "tiny"))).toList();
        outside.reports.awaitInside(8);

        search("acme").then().statusCode(429).body("bulkhead", equalTo("search-of-tenant"))
                .body("detail", equalTo("All 4 permits of bulkhead 'search-of-tenant' for this key are taken"));
        search("small").then().statusCode(429)
                .body("detail", equalTo("All 2 permits of bulkhead 'search-of-tenant' for this key are taken"));
        given().get("/status/search-of-tenant?key=acme").then().statusCode(200).body("inUse", equalTo(4))
                .body("limit", equalTo(4)).body("limitsDiffer", equalTo(false))
                .body("holders.key", equalTo(List.of("acme", "acme", "acme", "acme")));
        given().get("/status").then().body("bulkheads.find { it.name == 'search' }.inUse", equalTo(8));

        outside.reports.open();
        running.forEach(call -> call.join().then().statusCode(200));
        given().get("/status").then().body("bulkheads.find { it.name == 'search' }.inUse", equalTo(0));
    }

    /** Ten for all tenants together; the permit of the first bulkhead is released when the second rejects. */
    @Test
    void allTenantsShareALimit() throws Exception {
        List<CompletableFuture<Response>> running = IntStream.range(0, 10)
                .mapToObj(i -> calls.begin(() -> search("tenant " + i / 2))).toList();
        outside.reports.awaitInside(10);

        search("another").then().statusCode(429).body("bulkhead", equalTo("search"));
        assertThat(outside.reports.arrived()).isEqualTo(10);

        outside.reports.open();
        running.forEach(call -> call.join().then().statusCode(200));
    }

    @Test
    void largerSizeLetsWaitersIn() throws Exception {
        List<CompletableFuture<Response>> exports = calls.get(4, "/exports");
        outside.exports.awaitInside(2);
        await().atMost(30, TimeUnit.SECONDS).until(() -> status().getInt(EXPORTS + "waiting") == 2);
        assertThat(status().getList(EXPORTS + "waiters.method")).containsOnly("ExportResource#export");

        given().put("/operator/exports/size?permits=3").then().statusCode(204);
        try {
            outside.exports.awaitInside(3);
            assertThat(status().getInt(EXPORTS + "limit")).isEqualTo(3);
            assertThat(status().getInt(EXPORTS + "waiting")).isEqualTo(1);
        } finally {
            given().delete("/operator/exports/size").then().statusCode(204);
        }
        assertThat(status().getInt(EXPORTS + "limit")).isEqualTo(2);
        outside.exports.open();
        exports.forEach(export -> export.join().then().statusCode(200));
    }

    @Test
    void revokedPermitIsReported() throws Exception {
        CompletableFuture<Response> export = calls.get("/exports");
        outside.exports.awaitInside(1);
        String permit = status().getString(EXPORTS + "holders[0].permitId");

        given().delete("/operator/exports/permits/" + permit).then().statusCode(204);
        assertThat(status().getInt(EXPORTS + "inUse")).isZero();
        given().delete("/operator/exports/permits/" + permit).then().statusCode(404);

        // The execution continues, and the loss is known by its end.
        outside.exports.open();
        export.join().then().statusCode(200);
        await().atMost(30, TimeUnit.SECONDS)
                .until(() -> given().get("/operator/losses").jsonPath().getList("permitId").contains(permit));
    }

    @ParameterizedTest
    @CsvSource({ "GET, /crawl?host=example.com, 400, host must be example.org or example.net",
            "GET, /crawl?pages=0, 400, pages must be from 1 to 50", "GET, /crawl?pages=51, 400, pages must be from 1 to 50",
            "GET, /search, 400, ''", "GET, /status/search-of-tenant, 404, ''", "GET, /status/reports?key=a, 404, ''",
            "PUT, /operator/exports/size?permits=0, 400, ''", "PUT, /operator/nothing/size?permits=1, 404, ''",
            "PUT, /operator/search-of-tenant/size?permits=1, 400, ''",
            "PUT, /operator/reports/size?permits=1&key=a, 400, ''" })
    void rejectsInvalidRequests(String method, String request, int status, String message) {
        given().request(method, request).then().statusCode(status).body(containsString(message));
        given().get("/status").then().body(EXPORTS + "limit", equalTo(2)).body(REPORTS + "limit", equalTo(5))
                .body("bulkheads.find { it.name == 'search' }.inUse", equalTo(0));
    }

    @Test
    void metricsCountCalls() {
        outside.reports.open();
        given().get("/shapes/uni").then().statusCode(200);

        given().get("/q/metrics").then().statusCode(200)
                .body(matchesPattern(Pattern.compile(".*\\bredis_bulkhead_calls_total\\{"
                        + "bulkhead=\"shapes\",method=\"ShapesResource#uni\",result=\"accepted\"} [1-9].*",
                        Pattern.DOTALL)));
    }

    private static Response search(String tenant) {
        return given().header("X-Tenant", tenant).get("/search");
    }

    private static JsonPath status() {
        return given().get("/status").then().statusCode(200).extract().jsonPath();
    }
}
