package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** The heavy report: five at once, imperative and reactive together. */
@QuarkusTest
class ReportsTest extends SampleTestBase {

    private static final int LIMIT = 5;

    @ParameterizedTest
    @ValueSource(strings = { "/reports", "/reports/async" })
    @DisplayName("Trap 28: the sixth report is rejected with 429, a Retry-After of at least 1 and a problem body")
    void sixthIsRejected(String path) throws Exception {
        List<CompletableFuture<Response>> reports = calls.get(LIMIT, path);
        outside.reports().awaitInside(LIMIT);

        given().get(path).then()
                .statusCode(429)
                .header("Retry-After", Integer::valueOf, allOf(greaterThanOrEqualTo(1), lessThanOrEqualTo(30)))
                .contentType("application/problem+json")
                .body("type", equalTo("about:blank"))
                .body("title", equalTo("Too many concurrent executions"))
                .body("status", equalTo(429))
                .body("bulkhead", equalTo("reports"))
                .body("detail", equalTo("All 5 permits of bulkhead 'reports' are taken"));
        assertThat(outside.reports().arrived()).isEqualTo(LIMIT);

        outside.reports().open();
        for (CompletableFuture<Response> report : reports) {
            report.join().then().statusCode(200).body("title", equalTo("Sales")).body("rows", equalTo(7));
        }
        given().get(path).then().statusCode(200);
    }

    @Test
    void bothEndpointsShareTheLimit() throws Exception {
        List<CompletableFuture<Response>> waiting = calls.get(3, "/reports");
        List<CompletableFuture<Response>> reactive = calls.get(2, "/reports/async");
        outside.reports().awaitInside(LIMIT);

        given().get("/reports").then().statusCode(429);
        given().get("/reports/async").then().statusCode(429);

        outside.reports().open();
        waiting.forEach(report -> report.join().then().statusCode(200));
        reactive.forEach(report -> report.join().then().statusCode(200));
    }

    @Test
    void statusListsHolders() throws Exception {
        List<CompletableFuture<Response>> reports = calls.get(1, "/reports");
        outside.reports().awaitInside(1);
        List<CompletableFuture<Response>> reactive = calls.get(1, "/reports/async");
        outside.reports().awaitInside(2);

        String use = "bulkheads.find { it.name == 'reports' }.";
        given().get("/status").then()
                .statusCode(200)
                .body(use + "limit", equalTo(LIMIT))
                .body(use + "inUse", equalTo(2))
                .body(use + "holders.application.unique()", equalTo(List.of("redis-bulkhead-sample")))
                .body(use + "holders.method", containsInAnyOrder("ReportResource#render", "ReportResource#renderAsync"))
                .body("bulkheads.find { it.name == 'partner-api' }.inUse", equalTo(0));

        outside.reports().open();
        reports.get(0).join().then().statusCode(200);
        reactive.get(0).join().then().statusCode(200);
        given().get("/status").then().body(use + "inUse", equalTo(0)).body(use + "holders", equalTo(List.of()));
    }
}
