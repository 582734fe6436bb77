package io.quarkiverse.redisbulkhead.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;

/** An application that receives SIGTERM. All leases are so long that none expires meanwhile. */
class ShutdownIT extends ProcessTestBase {

    private static final String EXPORTS = "quarkus.redis-bulkhead.\"exports\".";
    private static final Duration SOON = Duration.ofSeconds(20);

    private Gate exports;

    @BeforeEach
    void findExports() {
        exports = outside.exports;
    }

    @Test
    @DisplayName("Trap 9: with a timeout, calls that run end well, those that wait or come are refused, nothing is left")
    void orderly() throws Exception {
        SampleProcess stopped = start(withShutdownTimeout("20s"));
        SampleProcess other = start(withShutdownTimeout("20s"));
        awaitReady();
        CompletableFuture<HttpResponse<String>> running = get(stopped, "/exports?table=running");
        exports.awaitInside(1);
        CompletableFuture<HttpResponse<String>> blocking = get(stopped, "/reports");
        outside.reports.awaitInside(1);
        CompletableFuture<HttpResponse<String>> waiting = get(stopped, "/exports?table=waiting");
        await().atMost(SOON).until(() -> redis.waiters("exports") == 1);
        CompletableFuture<HttpResponse<String>> behind = get(other, "/exports?table=behind");
        await().atMost(SOON).until(() -> redis.waiters("exports") == 2);

        stopped.terminate();
        HttpResponse<String> rejection = await().atMost(SOON).until(() -> waiting.getNow(null), answer -> answer != null);
        assertThat(rejection.statusCode()).isEqualTo(503);
        assertThat(rejection.body()).contains("\"bulkhead\":\"exports\"");
        assertThat(get(stopped, "/exports").join().statusCode()).isEqualTo(503);
        assertThat(get(stopped, "/reports").join().statusCode()).isEqualTo(503);
        assertThat(exports.inside()).isEqualTo(1);
        assertThat(redis.waiters("exports")).isEqualTo(1);

        exports.letOneLeave();
        assertThat(running.join().statusCode()).isEqualTo(200);
        await("hand-over to the other application").atMost(SOON).until(() -> exports.arrived() == 2);
        assertThat(outside.exported()).containsExactly("running", "behind");
        outside.reports.open();
        assertThat(blocking.join().statusCode()).isEqualTo(200);
        stopped.awaitEnd(SOON);
        assertThat(redis.permits("reports")).isZero();
        assertThat(stopped.output()).doesNotContain("ERROR");

        exports.open();
        assertThat(behind.join().statusCode()).isEqualTo(200);
        awaitNoLeftovers("exports");
    }

    @Test
    @DisplayName("Trap 3: calls that the shutdown cuts off give their permits back, and a waiter elsewhere is served at once")
    void cutOff() throws Exception {
        SampleProcess stopped = start(withShutdownTimeout("0s"));
        SampleProcess other = start(withShutdownTimeout("20s"));
        awaitReady();
        get(stopped, "/exports?table=cut");
        exports.awaitInside(1);
        get(stopped, "/reports");
        outside.reports.awaitInside(1);
        CompletableFuture<HttpResponse<String>> behind = get(other, "/exports?table=behind");
        await().atMost(SOON).until(() -> redis.waiters("exports") == 1);
        get(stopped, "/exports?table=waiting");
        await().atMost(SOON).until(() -> redis.waiters("exports") == 2);

        stopped.terminate();
        await("hand-over to the other application").atMost(SOON).until(() -> exports.arrived() == 2);
        assertThat(outside.exported()).containsExactly("cut", "behind");
        // A blocking call to an unresponsive database would delay the exit of the process.
        outside.reports.open();
        stopped.awaitEnd(Duration.ofSeconds(30));
        assertThat(redis.permits("reports")).isZero();

        exports.open();
        assertThat(behind.join().statusCode()).isEqualTo(200);
        awaitNoLeftovers("exports");
    }

    @Test
    @DisplayName("Calls that outlast the shutdown timeout give their permits back, too")
    void outlastsTheTimeout() throws Exception {
        SampleProcess stopped = start(withShutdownTimeout("500ms"));
        awaitReady();
        get(stopped, "/exports?table=cut");
        exports.awaitInside(1);

        stopped.terminate();
        stopped.awaitEnd(SOON);
        assertThat(redis.permits("exports")).isZero();
    }

    private static Map<String, String> withShutdownTimeout(String timeout) {
        return Map.of(EXPORTS + "permits", "1", EXPORTS + "max-wait", "1m", EXPORTS + "expire", "5m",
                "quarkus.redis-bulkhead.\"reports\".expire", "5m", "quarkus.shutdown.timeout", timeout);
    }
}
