package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** The archive: each year once at a time, with permits acquired in code. */
@QuarkusTest
class ArchiveTest extends SampleTestBase {

    @Test
    void archivesEachYearOnceAtATime() throws Exception {
        CompletableFuture<Response> one = calls.begin(() -> given().post("/archive/2023"));
        outside.reports().awaitInside(1);
        CompletableFuture<Response> other = calls.begin(() -> given().post("/archive/2024"));
        outside.reports().awaitInside(2);

        given().post("/archive/2023").then().statusCode(429).body("bulkhead", equalTo("archive"));
        assertThat(outside.reports().arrived()).isEqualTo(2);

        outside.reports().open();
        one.join().then().statusCode(200).body("year", equalTo(2023));
        other.join().then().statusCode(200).body("year", equalTo(2024));
        given().post("/archive/2023").then().statusCode(200);
    }
}
