package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Responses of a full bulkhead, which tests fill with {@link TestBulkhead} instead of slow calls. */
@QuarkusTest
class FullBulkheadTest extends SampleTestBase {

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void rejectsReportsUntilAPermitIsFree() {
        outside.reports().open();
        try (TestBulkhead reports = TestBulkhead.of(bulkheads.semaphore("reports"))) {
            assertThat(reports.fill()).isEqualTo(5);
            given().get("/reports").then().statusCode(429);

            reports.free(1);
            given().get("/reports").then().statusCode(200);
        }
    }

    @Test
    void exportWaitsForAPermit() {
        outside.exports().open();
        try (TestBulkhead exports = TestBulkhead.of(bulkheads.semaphore("exports"))) {
            exports.fill();
            CompletableFuture<Response> export = calls.get("/exports");
            exports.awaitWaiters(1);
            assertThat(outside.exports().arrived()).isZero();

            exports.free(1);
            export.join().then().statusCode(200);
            exports.awaitInUse(1);
        }
    }

    /** The resolver of the application gives acme four permits, so the test must state the same limit. */
    @Test
    void busyTenantDoesNotAffectOthers() {
        outside.reports().open();
        RedisSemaphore ofAcme = bulkheads.semaphore("search-of-tenant").forKey("acme", 4);
        try (TestBulkhead acme = TestBulkhead.of(ofAcme)) {
            assertThat(acme.fill()).isEqualTo(4);
            given().header("X-Tenant", "acme").get("/search").then().statusCode(429)
                    .body("bulkhead", equalTo("search-of-tenant"));
            given().header("X-Tenant", "small").get("/search").then().statusCode(200);
        }
    }

    @Test
    void emptyRemovesLeftovers() throws Exception {
        RedisSemaphore semaphore = bulkheads.semaphore("exports");
        try (TestBulkhead exports = TestBulkhead.of(semaphore)) {
            CompletableFuture<Response> running = calls.get("/exports");
            outside.exports().awaitInside(1);
            semaphore.resize(1);
            CompletableFuture<Response> waiting = calls.get("/exports");
            exports.awaitWaiters(1);

            exports.empty();

            assertThat(exports.inUse()).isZero();
            assertThat(exports.waiting()).isZero();
            assertThat(semaphore.status().resized()).isFalse();
            outside.exports().open();
            running.join().then().statusCode(200);
            waiting.join().then().statusCode(200);
        }
    }
}
