package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** The crawler: three pages at once per host, and every page in the end. */
@QuarkusTest
class CrawlTest extends SampleTestBase {

    private static final int LIMIT = 3;

    @Test
    void downloadsThreePagesAtOnce() throws Exception {
        CompletableFuture<Response> crawl = calls.get("/crawl?host=example.org&pages=8");
        outside.pages().awaitInside(LIMIT);
        outside.pages().open();

        crawl.join().then().statusCode(200).body("$", hasSize(8));
        assertThat(outside.pages().peak()).isEqualTo(LIMIT);
        assertThat(outside.pages().arrived()).isEqualTo(8);
    }

    @Test
    void eachHostHasItsOwnLimit() throws Exception {
        CompletableFuture<Response> org = calls.get("/crawl?host=example.org&pages=3");
        outside.pages().awaitInside(LIMIT);
        CompletableFuture<Response> net = calls.get("/crawl?host=example.net&pages=3");
        outside.pages().awaitInside(2 * LIMIT);
        outside.pages().open();

        org.join().then().statusCode(200).body("$", hasSize(3));
        net.join().then().statusCode(200).body("$", hasSize(3));
    }

    @ParameterizedTest
    @CsvSource({ "host=example.com, host must be example.org or example.net", "pages=0, pages must be from 1 to 50",
            "pages=51, pages must be from 1 to 50" })
    void rejectsInvalidRequests(String query, String message) {
        given().get("/crawl?" + query).then().statusCode(400).body(equalTo(message));
    }
}
