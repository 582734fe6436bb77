package org.acme;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;

/** With Redis, from the dev service. */
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
            given().get("/reports").then().statusCode(200).body(is("done"));
        }
    }

    @Test
    void hasTheRedisThatItNeeds() {
        assertEquals(needsRedis(), ConfigProvider.getConfig().getOptionalValue("quarkus.redis.hosts", String.class).isPresent());
    }

    boolean needsRedis() {
        return true;
    }
}
