package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.matchesPattern;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Methods of every return type, a lock, and their metrics. */
@QuarkusTest
class ShapesTest extends SampleTestBase {

    @ParameterizedTest
    @ValueSource(strings = { "value", "uni", "stage", "multi" })
    void thirdIsRejected(String shape) throws Exception {
        List<CompletableFuture<Response>> two = calls.get(2, "/shapes/" + shape);
        outside.reports().awaitInside(2);

        given().get("/shapes/" + shape).then().statusCode(429).body("bulkhead", equalTo("shapes"));
        assertThat(outside.reports().arrived()).isEqualTo(2);

        outside.reports().open();
        two.forEach(call -> call.join().then().statusCode(200).body(containsString("Sales")));
        given().get("/shapes/" + shape).then().statusCode(200);
    }

    @Test
    void lockHasOneHolder() throws Exception {
        CompletableFuture<Response> owner = calls.get("/shapes/lock");
        outside.reports().awaitInside(1);

        given().get("/shapes/lock").then().statusCode(429);
        assertThat(outside.reports().arrived()).isEqualTo(1);

        outside.reports().open();
        owner.join().then().statusCode(200);
    }

    @Test
    void metricsCountCalls() {
        outside.reports().open();
        given().get("/shapes/uni").then().statusCode(200);

        given().get("/q/metrics").then().statusCode(200)
                .body(matchesPattern(Pattern.compile(".*\\bredis_bulkhead_calls_total\\{"
                        + "bulkhead=\"shapes\",method=\"ShapesResource#uni\",result=\"accepted\"} [1-9].*",
                        Pattern.DOTALL)));
    }
}
