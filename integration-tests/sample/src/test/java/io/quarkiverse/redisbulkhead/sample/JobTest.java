package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.path.json.JsonPath;

/** The scheduled job: while it runs, the next dates are skipped. */
@QuarkusTest
@TestProfile(SimulatedFaultsWithoutRedisTest.LocalStore.class)
class JobTest extends SampleTestBase {

    @Test
    void skipsWhileItRuns() throws Exception {
        outside.statistics.awaitInside(1);
        int skips = job().getInt("skips");
        int runs = job().getInt("runs");

        await().atMost(30, TimeUnit.SECONDS).until(() -> job().getInt("skips") >= skips + 2);
        assertThat(job().getString("lastSkip")).isNotNull();
        assertThat(job().getInt("runs")).isEqualTo(runs);
        assertThat(outside.statistics.inside()).isEqualTo(1);

        outside.statistics.open();
        await().atMost(30, TimeUnit.SECONDS).until(() -> job().getInt("runs") > runs);
        assertThat(job().getString("lastRun")).isNotNull();
        assertThat(outside.statistics.peak()).isEqualTo(1);
    }

    private static JsonPath job() {
        return given().get("/job").then().statusCode(200).extract().jsonPath();
    }
}
