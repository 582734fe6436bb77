package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;

/** The views and actions of operators. */
@QuarkusTest
class OperatorTest extends SampleTestBase {

    private static final String EXPORTS = "bulkheads.find { it.name == 'exports' }.";

    @Test
    void largerSizeLetsWaitersIn() throws Exception {
        List<CompletableFuture<Response>> exports = calls.get(4, "/exports");
        outside.exports().awaitInside(2);
        await().atMost(30, TimeUnit.SECONDS).until(() -> status().getInt(EXPORTS + "waiting") == 2);
        assertThat(status().getList(EXPORTS + "waiters.method")).containsOnly("ExportResource#export");

        given().put("/operator/exports/size?permits=3").then().statusCode(204);
        try {
            outside.exports().awaitInside(3);
            assertThat(status().getInt(EXPORTS + "limit")).isEqualTo(3);
            assertThat(status().getInt(EXPORTS + "waiting")).isEqualTo(1);
        } finally {
            given().delete("/operator/exports/size").then().statusCode(204);
        }
        assertThat(status().getInt(EXPORTS + "limit")).isEqualTo(2);
        outside.exports().open();
        exports.forEach(export -> export.join().then().statusCode(200));
    }

    @Test
    void revokedPermitIsReported() throws Exception {
        List<CompletableFuture<Response>> exports = calls.get(1, "/exports");
        outside.exports().awaitInside(1);
        String permit = status().getString(EXPORTS + "holders[0].permitId");

        given().delete("/operator/exports/permits/" + permit).then().statusCode(204);
        assertThat(status().getInt(EXPORTS + "inUse")).isZero();
        given().delete("/operator/exports/permits/" + permit).then().statusCode(404);

        // The execution continues, and the loss is known by its end.
        outside.exports().open();
        exports.get(0).join().then().statusCode(200);
        await().atMost(30, TimeUnit.SECONDS)
                .until(() -> given().get("/operator/losses").jsonPath().getList("permitId").contains(permit));
    }

    @Test
    void rejectsInvalidRequests() {
        given().put("/operator/exports/size?permits=0").then().statusCode(400);
        given().put("/operator/nothing/size?permits=1").then().statusCode(404);
        given().get("/status").then().body(EXPORTS + "limit", equalTo(2));
    }

    private static JsonPath status() {
        return given().get("/status").then().statusCode(200).extract().jsonPath();
    }
}
