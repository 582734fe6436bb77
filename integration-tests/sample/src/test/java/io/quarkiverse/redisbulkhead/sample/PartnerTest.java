package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** The partner's API: ten calls at once, limited at the REST client. */
@QuarkusTest
class PartnerTest extends SampleTestBase {

    private static final int LIMIT = 10;

    @Test
    void eleventhCallDoesNotReachThePartner() throws Exception {
        List<CompletableFuture<Response>> quotes = calls.get(LIMIT, "/partner/quote");
        outside.quotes().awaitInside(LIMIT);

        given().get("/partner/quote").then().statusCode(429).body("bulkhead", equalTo("partner-api"));
        assertThat(outside.quotes().arrived()).isEqualTo(LIMIT);

        outside.quotes().open();
        quotes.forEach(quote -> quote.join().then().statusCode(200).body("article", equalTo("teapot")));
        given().get("/partner/quote").then().statusCode(200);
    }
}
