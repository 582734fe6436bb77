package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.notNullValue;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import io.restassured.path.json.JsonPath;

/** The packaged sample without configuration, which calls its own stand-ins. */
@QuarkusIntegrationTest
class SampleIT {

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
    void exports() {
        given().get("/exports?table=orders").then().statusCode(200).body("table", equalTo("orders"));
    }

    @Test
    void ledger() {
        float balance = account().getFloat("balance");
        long token = given().post("/ledger?article=cup").then().statusCode(200).body("price", equalTo(12.5f)).extract()
                .jsonPath()
                .getLong("token");
        assertThat(account().getFloat("balance")).isEqualTo(balance + 12.5f);
        assertThat(account().getLong("token")).isEqualTo(token).isPositive();
    }

    private static JsonPath account() {
        return given().get("/ledger").then().statusCode(200).extract().jsonPath();
    }

    @Test
    void archive() {
        given().post("/archive/2024").then().statusCode(200).body("year", equalTo(2024))
                .body("report.title", equalTo("Sales by region"));
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
                hasItems("exports", "ledger", "partner-api", "reports", "search", "statistics"));
    }

    @Test
    void page() {
        given().get("/").then().statusCode(200).contentType(containsString("text/html"))
                .body(containsString("/partner/quote"));
    }
}
