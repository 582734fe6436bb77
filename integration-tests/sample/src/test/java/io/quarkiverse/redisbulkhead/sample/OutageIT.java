package io.quarkiverse.redisbulkhead.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkiverse.redisbulkhead.sample.support.OutsideServer;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;

/** Redis is killed, and restarts empty. Each of the three policies applies to one bulkhead of the application. */
class OutageIT extends ProcessTestBase {

    private static final int LOCAL_LIMIT = 2;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Map<String, String> POLICIES = Map.of(
            "quarkus.redis-bulkhead.command-timeout", "1s",
            "quarkus.redis-bulkhead.\"exports\".on-outage", "allow",
            "quarkus.redis-bulkhead.\"exports\".permits", "1",
            "quarkus.redis-bulkhead.\"exports\".max-wait", "1m",
            "quarkus.redis-bulkhead.\"partner-api\".on-outage", "local",
            "quarkus.redis-bulkhead.\"partner-api\".permits", "10",
            "quarkus.redis-bulkhead.instances", "5");

    @BeforeEach
    void startOutside() {
        outside = new OutsideServer(new Gate());
    }

    @Test
    @DisplayName("Trap 25: Redis is killed in mid-call: what runs ends well, what comes goes by the policy until it is back")
    void inMidCall() throws Exception {
        SampleProcess application = start(POLICIES);
        awaitReady();
        List<CompletableFuture<HttpResponse<String>>> running = List.of(get(application, "/reports"),
                get(application, "/reports/async"), get(application, "/exports"), get(application, "/partner/quote"));
        outside.reports().awaitInside(2);
        outside.exports().awaitInside(1);
        outside.quotes().awaitInside(1);
        CompletableFuture<HttpResponse<String>> waiting = get(application, "/exports");
        await().atMost(SOON).until(() -> redis.waiting("exports") == 1);

        redis.kill();
        assertThat(get(application, "/reports").join().statusCode()).isEqualTo(503);
        // The waiting call notices the outage with the next statement of its instance.
        outside.exports().awaitInside(2);
        assertThatPoliciesHold(application, 2);
        openGates();
        waiting.join();
        assertThat(running).extracting(call -> call.join().statusCode()).as("calls that end during the outage")
                .containsOnly(200);
        assertThat(waiting.join().statusCode()).isEqualTo(200);

        redis.restart();
        assertThatRedisIsUsed(application);
    }

    @Test
    @DisplayName("Trap 25: Redis is away at the start: the application starts, and goes by the policies until it is there")
    void atStart() throws Exception {
        redis.kill();
        SampleProcess application = start(POLICIES);
        application.awaitStarted(CLIENT);

        assertThatPoliciesHold(application, 0);
        openGates();

        redis.restart();
        assertThatRedisIsUsed(application);
    }

    // Requires shut gates. Leaves calls inside.
    private void assertThatPoliciesHold(SampleProcess application, int exportsInside) throws Exception {
        HttpResponse<String> rejected = get(application, "/reports").join();
        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(rejected.headers().firstValueAsLong("Retry-After").orElseThrow()).isPositive();

        get(application, "/exports");
        get(application, "/exports");
        outside.exports().awaitInside(exportsInside + 2);

        // Those that have permits of Redis count.
        List<CompletableFuture<HttpResponse<String>>> local = IntStream.range(outside.quotes().inside(), LOCAL_LIMIT)
                .mapToObj(call -> get(application, "/partner/quote")).toList();
        outside.quotes().awaitInside(LOCAL_LIMIT);
        assertThat(get(application, "/partner/quote").join().statusCode()).isEqualTo(429);
        assertThat(local).noneMatch(CompletableFuture::isDone);
    }

    private void openGates() {
        outside.reports().open();
        outside.exports().open();
        outside.quotes().open();
    }

    private void assertThatRedisIsUsed(SampleProcess application) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> calls = List.of(
                enterWithPermit(application, "/reports", outside.reports(), "reports"),
                enterWithPermit(application, "/exports", outside.exports(), "exports"),
                enterWithPermit(application, "/partner/quote", outside.quotes(), "partner-api"));
        for (String bulkhead : List.of("reports", "exports", "partner-api")) {
            // Idle permits go back after a moment.
            await("permits of " + bulkhead).atMost(SOON).until(() -> redis.permits(bulkhead) == 1);
        }
        openGates();
        assertThat(calls).extracting(call -> call.join().statusCode()).containsOnly(200);
        for (String bulkhead : List.of("reports", "exports", "partner-api")) {
            redis.awaitNoLeftovers(bulkhead);
        }
    }

    // A probe detects that Redis is back, and the server grants nothing new in the grace period after its start.
    private CompletableFuture<HttpResponse<String>> enterWithPermit(SampleProcess application, String path, Gate gate,
            String bulkhead) {
        AtomicReference<CompletableFuture<HttpResponse<String>>> call = new AtomicReference<>();
        await("permit for " + path).atMost(SOON).until(() -> {
            gate.shut();
            call.set(get(application, path));
            await(path).atMost(SOON).until(() -> gate.inside() == 1 || call.get().isDone());
            boolean hasPermit = !call.get().isDone() && redis.permits(bulkhead) > 0;
            if (!hasPermit) {
                gate.open();
                call.get().join();
            }
            return hasPermit;
        });
        return call.get();
    }
}
