package io.quarkiverse.redisbulkhead.sample;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkiverse.redisbulkhead.sample.support.OutsideServer;
import io.quarkiverse.redisbulkhead.sample.support.RoundsGate;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;
import io.vertx.core.json.JsonObject;

/**
 * The limits hold across two packaged applications that share a Redis server. Concurrent executions are counted outside of
 * both, in the server that the guarded methods call.
 */
class TwoApplicationsIT extends ProcessTestBase {

    private static final int LIMIT = 5;
    private static final int REQUESTS = 400;
    private static final int AT_ONCE = 100;
    private static final int REJECTIONS_PER_ROUND = 40;

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    @DisplayName("400 requests to two applications: five at once, never six")
    void limitHolds(boolean fair) throws Exception {
        RoundsGate reports = new RoundsGate(LIMIT, REJECTIONS_PER_ROUND, REQUESTS);
        outside = new OutsideServer(reports);
        Map<String, String> configuration = Map.of("quarkus.redis-bulkhead.\"reports\".fair", Boolean.toString(fair));
        start(configuration);
        start(configuration);
        awaitReady();

        assertThatLimitHolds("/reports", reports);
        assertThatLimitHolds("/reports/async", reports);
    }

    @Test
    @DisplayName("Trap 1: the limit holds when the clock of one application is an hour fast, and that of another an hour slow")
    void limitHoldsWithSkewedClocks() throws Exception {
        RoundsGate reports = new RoundsGate(LIMIT, REJECTIONS_PER_ROUND, REQUESTS);
        outside = new OutsideServer(reports);
        SampleProcess fast = start(Map.of(), fakedClock("+1h"));
        SampleProcess slow = start(Map.of(), fakedClock("-1h"));
        SampleProcess right = start(Map.of());
        awaitReady();
        assertThat(clockOf(right)).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
        assertThatClockIsOff(fast, "+1h");
        assertThatClockIsOff(slow, "-1h");

        assertThatLimitHolds("/reports", reports);
        assertThatLimitHolds("/reports/async", reports);
    }

    @Test
    @DisplayName("A scheduled job runs on one of two applications at a time; the other skips without an error")
    void jobRunsOnce() throws Exception {
        outside = new OutsideServer(new Gate());
        Map<String, String> everySecond = Map.of("sample.job.cron", "* * * * * ?");
        SampleProcess one = start(everySecond);
        SampleProcess other = start(everySecond);
        awaitReady();

        await().atMost(Duration.ofSeconds(30))
                .until(() -> job(one).getInteger("skips") >= 2 && job(other).getInteger("skips") >= 2);
        assertThat(outside.statistics().arrived()).isEqualTo(1);
        outside.statistics().open();
        await().atMost(Duration.ofSeconds(30)).until(() -> job(one).getInteger("runs") + job(other).getInteger("runs") >= 2);
        assertThat(outside.statistics().peak()).isEqualTo(1);
        assertThat(one.output()).doesNotContain("ERROR");
        assertThat(other.output()).doesNotContain("ERROR");
    }

    private void assertThatLimitHolds(String path, RoundsGate gate) throws Exception {
        warmUp(path, gate);
        Map<Integer, List<HttpResponse<String>>> answers = sendAll(path, gate).stream()
                .collect(groupingBy(HttpResponse::statusCode));

        assertThat(gate.peak()).as("executions at once").isEqualTo(LIMIT);
        assertThat(answers).containsOnlyKeys(200, 429);
        assertThat(answers.get(200)).hasSizeGreaterThanOrEqualTo(LIMIT).hasSize(gate.arrived());
        for (SampleProcess application : applications) {
            // Calls do not wait for the replies to their releases, and each application knows only its own.
            await().atMost(Duration.ofSeconds(20)).pollDelay(Duration.ZERO).until(() -> holdersOf(application, "reports") == 0);
        }
        redis.awaitNoLeftovers("reports");
        assertThat(redis.keys("*")).isNotEmpty();
        for (String key : redis.keys("*")) {
            assertThat(redis.timeToLive(key)).as("time to live of %s", key).isPositive();
        }
    }

    /** Sends each application its first request, which takes longer than the others. */
    private void warmUp(String path, Gate gate) {
        gate.open();
        for (SampleProcess application : applications) {
            assertThat(get(application, path).join().statusCode()).as("status of the first request").isEqualTo(200);
        }
        gate.shut();
    }

    /** Sends the requests to the applications in turn, a fixed number at a time. */
    private List<HttpResponse<String>> sendAll(String path, RoundsGate gate) throws InterruptedException {
        Semaphore atOnce = new Semaphore(AT_ONCE);
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            atOnce.acquire();
            answers.add(get(applications.get(i % applications.size()), path).whenComplete((answer, failure) -> {
                atOnce.release();
                if (answer != null && answer.statusCode() == 429) {
                    gate.rejected();
                }
            }));
        }
        return answers.stream().map(CompletableFuture::join).toList();
    }

    private static JsonObject job(SampleProcess application) {
        return getJson(application, "/job");
    }

    private static int holdersOf(SampleProcess application, String bulkhead) {
        return getJson(application, "/status").getJsonArray("bulkheads").stream()
                .map(JsonObject.class::cast)
                .filter(use -> bulkhead.equals(use.getString("name")))
                .mapToInt(use -> use.getInteger("inUse"))
                .findFirst().orElseThrow();
    }
}
