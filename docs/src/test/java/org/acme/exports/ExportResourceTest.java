package org.acme.exports;

import static io.restassured.RestAssured.given;

import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

@QuarkusTest
class ExportResourceTest {

    @Inject
    RedisBulkheads bulkheads;

    // tag::test[]
    @Test
    void exportWaitsForAPermit() {
        try (TestBulkhead exports = TestBulkhead.of(bulkheads.semaphore("exports"))) {
            exports.fill();
            CompletableFuture<Response> export = CompletableFuture.supplyAsync(() -> given().get("/exports"));
            exports.awaitWaiters(1);

            exports.free(1);
            export.join().then().statusCode(200);
        }
    }
    // end::test[]

    // tag::outage[]
    @Test
    void withoutRedisExportsAreUnavailable() {
        try (TestBulkhead exports = TestBulkhead.of(bulkheads.semaphore("exports"))) {
            exports.outage();
            given().get("/exports").then().statusCode(503);
        }
    }
    // end::outage[]
}
