package io.quarkiverse.redisbulkhead.sample;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.greaterThan;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkiverse.redisbulkhead.test.TestBulkhead.Simulation;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/**
 * Outages, lost permits and a slow Redis simulated by {@link TestBulkhead} have the same effects as real ones; leftovers go.
 */
@QuarkusTest
class SimulatedFaultsTest extends SampleTestBase {

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void outageRejectsCallsUntilItEnds() {
        outside.reports.open();
        double unavailable = count("redis_bulkhead_calls_total", "bulkhead=\"reports\"", "\"unavailable\"");
        double failures = count("redis_bulkhead_operation_duration_seconds_count", "operation=\"sync\"", "\"failure\"");
        try (TestBulkhead reports = TestBulkhead.of(bulkheads.semaphore("reports"))) {
            Simulation outage = reports.outage();
            given().get("/reports").then().statusCode(503).header("Retry-After", Integer::parseInt, greaterThan(0));
            given().get("/reports/async").then().statusCode(503);
            assertThatThrownBy(reports::inUse).isInstanceOf(BulkheadUnavailableException.class);
            assertThatThrownBy(() -> bulkheads.lock("any").tryLock()).as("locks, too")
                    .isInstanceOf(BulkheadUnavailableException.class);
            outage.close();
            given().get("/reports").then().statusCode(200);

            reports.outage();
        }
        given().get("/reports").then().statusCode(200);
        assertThat(count("redis_bulkhead_calls_total", "bulkhead=\"reports\"", "\"unavailable\""))
                .isEqualTo(unavailable + 2);
        assertThat(count("redis_bulkhead_operation_duration_seconds_count", "operation=\"sync\"", "\"failure\""))
                .isGreaterThan(failures);
    }

    @Test
    void callLosesItsPermit() throws Exception {
        double lost = count("redis_bulkhead_permits_lost_total", "bulkhead=\"reports\"", "\"gone\"");
        CompletableFuture<Response> report = calls.get("/reports");
        outside.reports.awaitInside(1);
        try (TestBulkhead reports = TestBulkhead.of(bulkheads.semaphore("reports"))) {
            reports.fill(1);

            Holder holder = reports.loseOldest();

            assertThat(holder.method()).isEqualTo("ReportResource#render");
            assertThat(reports.held()).isOne();
            reports.awaitInUse(1);
            assertThat(count("redis_bulkhead_permits_lost_total", "bulkhead=\"reports\"", "\"gone\"")).isEqualTo(lost + 1);
            String reason = "find { it.permitId == '" + holder.permitId() + "' }?.reason";
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> "GONE".equals(given().get("/operator/losses").jsonPath().getString(reason)));
            assertThatThrownBy(() -> reports.lose(holder.permitId())).isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("Expected permit " + holder.permitId() + " of bulkhead 'reports' to be held");
        }
        outside.reports.open();
        report.join().then().statusCode(200);
    }

    @Test
    void codeLosesItsPermit() {
        RedisSemaphore semaphore = bulkheads.semaphore(SemaphoreSpec.named("simulated-losses").permits(1).build());
        try (TestBulkhead losses = TestBulkhead.of(semaphore); Permit permit = semaphore.tryAcquire().orElseThrow()) {
            losses.lose(permit.id());
            assertThat(permit.isHeld()).isFalse();
            assertThat(semaphore.tryAcquire()).hasValueSatisfying(Permit::release);
        }
    }

    @Test
    void emptyRemovesLeftovers() throws Exception {
        RedisSemaphore semaphore = bulkheads.semaphore("exports");
        try (TestBulkhead exports = TestBulkhead.of(semaphore)) {
            CompletableFuture<Response> running = calls.get("/exports");
            outside.exports.awaitInside(1);
            semaphore.resize(1);
            CompletableFuture<Response> waiting = calls.get("/exports");
            exports.awaitWaiters(1);

            exports.empty();

            assertThat(exports.inUse()).isZero();
            assertThat(exports.waiting()).isZero();
            assertThat(semaphore.status().resized()).isFalse();
            outside.exports.open();
            running.join().then().statusCode(200);
            waiting.join().then().statusCode(200);
        }
    }

    @Test
    void slowRedisDelaysCalls() {
        outside.reports.open();
        Duration delay = Duration.ofMillis(300);
        try (TestBulkhead reports = TestBulkhead.of(bulkheads.semaphore("reports")); Simulation slow = reports.slow(delay)) {
            long begin = System.nanoTime();
            given().get("/reports").then().statusCode(200);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(delay);
        }
        given().get("/reports").then().statusCode(200);
    }

    private static double count(String name, String... tags) {
        String metrics = given().get("/q/metrics").then().statusCode(200).extract().asString();
        double sum = 0;
        Matcher series = Pattern.compile("(?m)^" + name + "\\{(.*)} (\\S+)$").matcher(metrics);
        while (series.find()) {
            boolean matches = true;
            for (String tag : tags) {
                matches &= series.group(1).contains(tag);
            }
            sum += matches ? Double.parseDouble(series.group(2)) : 0;
        }
        return sum;
    }
}
