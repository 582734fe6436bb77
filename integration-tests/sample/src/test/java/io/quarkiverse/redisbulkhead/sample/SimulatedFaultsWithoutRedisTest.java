package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;

/** With the local store, which has no outages, {@link TestBulkhead} also simulates outages and losses. */
@QuarkusTest
@TestProfile(SimulatedFaultsWithoutRedisTest.LocalStore.class)
class SimulatedFaultsWithoutRedisTest extends SampleTestBase {

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void outageFollowsThePolicy() {
        outside.reports.open();
        RedisSemaphore local = bulkheads.semaphore(
                SemaphoreSpec.named("simulated").permits(4).localPermits(1).onOutage(OnOutage.LOCAL).build());
        try (TestBulkhead reports = TestBulkhead.of(bulkheads.semaphore("reports"))) {
            reports.outage();
            given().get("/reports").then().statusCode(503);
            local.run(() -> assertThatThrownBy(() -> local.run(() -> {
            })).isInstanceOf(BulkheadFullException.class));
        }
        given().get("/reports").then().statusCode(200);
    }

    @Test
    void callLosesItsPermit() throws Exception {
        CompletableFuture<Response> report = calls.get("/reports");
        outside.reports.awaitInside(1);
        try (TestBulkhead reports = TestBulkhead.of(bulkheads.semaphore("reports"))) {
            assertThat(reports.loseOldest().method()).isEqualTo("ReportResource#render");
            assertThat(reports.inUse()).isZero();
        }
        outside.reports.open();
        report.join().then().statusCode(200);
    }

    /** Tests the job here to avoid another start of the application. */
    public static class LocalStore implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis-bulkhead.store", "local", "quarkus.redis.devservices.enabled", "false",
                    "sample.job.cron", "* * * * * ?");
        }
    }
}
