package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import io.restassured.path.json.JsonPath;

/** The packaged sample without configuration, which calls its own stand-ins. */
@QuarkusIntegrationTest
class SampleIT {

    @ParameterizedTest
    @CsvSource({ "GET, /reports, Sales by region", "GET, /reports/async, Sales by region",
            "GET, /partner/quote?article=cup, cup", "GET, /exports?table=orders, orders",
            "POST, /archive/2024, Sales by region", "GET, /crawl?host=example.net&pages=2, Page 2 of example.net",
            "GET, /job, runs", "GET, /status, partner-api", "GET, /, /partner/quote" })
    void answers(String method, String path, String text) {
        given().request(method, path).then().statusCode(200).body(containsString(text));
    }

    @Test
    void ledger() {
        float balance = account().getFloat("balance");
        long token = given().post("/ledger?article=cup").then().statusCode(200).body("price", equalTo(12.5f)).extract()
                .jsonPath().getLong("token");
        assertThat(account().getFloat("balance")).isEqualTo(balance + 12.5f);
        assertThat(account().getLong("token")).isEqualTo(token).isPositive();
    }

    private static JsonPath account() {
        return given().get("/ledger").then().statusCode(200).extract().jsonPath();
    }
}
