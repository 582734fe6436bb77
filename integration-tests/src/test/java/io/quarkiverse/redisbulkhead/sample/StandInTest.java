package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.notNullValue;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

/** The sample as it comes: with nothing configured, it calls its own stand-ins. */
@QuarkusTest
class StandInTest {

    @Test
    void reports() {
        given().get("/reports").then().statusCode(200).body("title", equalTo("Sales by region"));
        given().get("/reports/async").then().statusCode(200).body("title", equalTo("Sales by region"));
    }

    @Test
    void partner() {
        given().get("/partner/quote?article=cup").then().statusCode(200).body("article", equalTo("cup"));
    }

    @Test
    void crawler() {
        given().get("/crawl?host=example.net&pages=2").then().statusCode(200)
                .body("$", contains("Page 1 of example.net", "Page 2 of example.net"));
    }

    @Test
    void job() {
        given().get("/job").then().statusCode(200).body("runs", notNullValue());
    }

    @Test
    void status() {
        given().get("/status").then().statusCode(200).body("now", notNullValue()).body("bulkheads.name",
                hasItems("crawler-example-net", "crawler-example-org", "partner-api", "reports", "statistics"));
    }

    @Test
    void page() {
        given().get("/").then().statusCode(200).contentType(containsString("text/html"))
                .body(containsString("/partner/quote"));
    }
}
