package org.acme;

import static io.restassured.RestAssured.given;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class ReportResourceTest {

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void theSixthReportIsRejected() {
        try (TestBulkhead reports = TestBulkhead.of(bulkheads.semaphore("reports"))) {
            reports.fill();
            given().get("/reports").then().statusCode(429);

            reports.free(1);
            given().get("/reports").then().statusCode(200);
        }
    }
}
