package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** The search: a limit in all, and one for each tenant. */
@QuarkusTest
class SearchTest extends SampleTestBase {

    @Test
    void eachTenantHasItsOwnLimitAndPayingTenantsHaveMore() throws Exception {
        List<CompletableFuture<Response>> running = IntStream.range(0, 8)
                .mapToObj(i -> calls.begin(() -> search(i < 4 ? "acme" : i < 6 ? "small" : "tiny"))).toList();
        outside.reports().awaitInside(8);

        search("acme").then().statusCode(429).body("bulkhead", equalTo("search-of-tenant"))
                .body("detail", equalTo("All 4 permits of bulkhead 'search-of-tenant' for this key are taken"));
        search("small").then().statusCode(429)
                .body("detail", equalTo("All 2 permits of bulkhead 'search-of-tenant' for this key are taken"));
        given().get("/status/search-of-tenant?key=acme").then().statusCode(200).body("inUse", equalTo(4))
                .body("limit", equalTo(4)).body("limitsDiffer", equalTo(false))
                .body("holders.key", equalTo(List.of("acme", "acme", "acme", "acme")));
        given().get("/status").then().body("bulkheads.find { it.name == 'search' }.inUse", equalTo(8));
        given().put("/operator/search-of-tenant/size?permits=1").then().statusCode(400);

        outside.reports().open();
        running.forEach(call -> call.join().then().statusCode(200));
        given().get("/status").then().body("bulkheads.find { it.name == 'search' }.inUse", equalTo(0));
    }

    /** Ten for all tenants together; the permit of the first bulkhead is released when the second rejects. */
    @Test
    void allTenantsShareALimit() throws Exception {
        List<CompletableFuture<Response>> running = IntStream.range(0, 10)
                .mapToObj(i -> calls.begin(() -> search("tenant " + i / 2))).toList();
        outside.reports().awaitInside(10);

        search("another").then().statusCode(429).body("bulkhead", equalTo("search"));
        assertThat(outside.reports().arrived()).isEqualTo(10);

        outside.reports().open();
        running.forEach(call -> call.join().then().statusCode(200));
    }

    @Test
    void rejectsRequestsWithoutATenant() {
        given().get("/search").then().statusCode(400);
        given().get("/status").then().body("bulkheads.find { it.name == 'search' }.inUse", equalTo(0));
    }

    @Test
    void missingAndUnexpectedKeysFail() {
        given().get("/status/search-of-tenant").then().statusCode(404);
        given().get("/status/reports?key=a").then().statusCode(404);
        given().put("/operator/reports/size?permits=1&key=a").then().statusCode(400);
    }

    private static Response search(String tenant) {
        return given().header("X-Tenant", tenant).get("/search");
    }
}
