package io.quarkiverse.redisbulkhead.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkiverse.redisbulkhead.sample.support.OutsideServer;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;

/** Waiting for permits, across two packaged applications that share a Redis server. */
class WaitingIT extends ProcessTestBase {

    private static final String EXPORTS = "quarkus.redis-bulkhead.\"exports\".";
    private static final int LIMIT = 2;
    private static final int WAITERS = 10;

    private static final Duration SLACK = Duration.ofSeconds(10);

    private Gate exports;

    @BeforeEach
    void startOutside() {
        outside = new OutsideServer(new Gate());
        exports = outside.exports();
    }

    @Test
    @DisplayName("Trap 1: the order and the limit hold when the clocks of the applications are ten hours apart")
    void servedInOrderWithSkewedClocks() throws Exception {
        Map<String, String> patient = Map.of(EXPORTS + "max-wait", "30s");
        SampleProcess early = start(patient, fakedClock("-5h"));
        SampleProcess late = start(patient, fakedClock("+5h"));
        awaitReady();
        assertThatClockIsOff(early, "-5h");
        assertThatClockIsOff(late, "+5h");

        assertThatOrderHolds(early, late);
    }

    @Test
    @DisplayName("Trap 9: a waiter whose time is over leaves nothing behind, and those behind it are served")
    void impatientWaiter() throws Exception {
        SampleProcess impatient = start(Map.of(EXPORTS + "max-wait", "300ms", EXPORTS + "permits", "1"));
        SampleProcess patient = start(Map.of(EXPORTS + "max-wait", "30s", EXPORTS + "permits", "1"));
        awaitReady();
        CompletableFuture<HttpResponse<String>> holder = get(patient, "/exports?table=holder");
        exports.awaitInside(1);

        CompletableFuture<HttpResponse<String>> first = awaitQueued(impatient);
        CompletableFuture<HttpResponse<String>> second = get(patient, "/exports?table=second");
        HttpResponse<String> rejection = first.join();
        assertThat(rejection.statusCode()).isEqualTo(429);
        assertThat(rejection.headers().firstValueAsLong("Retry-After").orElseThrow()).isPositive();
        awaitQueue(1);

        exports.open();
        assertThat(List.of(holder.join(), second.join())).extracting(HttpResponse::statusCode).containsOnly(200);
        assertThat(outside.exported()).containsExactly("holder", "second");
        redis.awaitNoLeftovers("exports");
    }

    // Lets calls queue up at both applications in turn, and then lets them leave one by one.
    private void assertThatOrderHolds(SampleProcess one, SampleProcess other) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        answers.add(get(one, "/exports?table=holder"));
        answers.add(get(other, "/exports?table=holder"));
        exports.awaitInside(LIMIT);
        List<String> expected = new ArrayList<>(List.of("holder", "holder"));
        for (int i = 0; i < WAITERS; i++) {
            String table = "waiter" + i;
            answers.add(get(i % 2 == 0 ? one : other, "/exports?table=" + table));
            expected.add(table);
            awaitQueue(i + 1);
        }

        for (int served = LIMIT + 1; served <= expected.size(); served++) {
            int now = served;
            exports.letOneLeave();
            await().atMost(SLACK).pollInterval(Duration.ofMillis(5)).until(() -> exports.arrived() >= now);
            assertThat(outside.exported()).containsExactlyElementsOf(expected.subList(0, now));
        }
        exports.open();
        assertThat(answers).extracting(answer -> answer.join().statusCode()).containsOnly(200);
        assertThat(exports.peak()).isEqualTo(LIMIT);
        redis.awaitNoLeftovers("exports");
        assertThatAllKeysExpire();
    }

    // On a busy machine, the wait may end before the waiter is seen in the queue; then the call is repeated.
    private CompletableFuture<HttpResponse<String>> awaitQueued(SampleProcess impatient) {
        CompletableFuture<HttpResponse<String>> call = get(impatient, "/exports?table=first");
        AtomicBoolean queued = new AtomicBoolean();
        await("queue").atMost(SLACK).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> {
            queued.set(redis.waiting("exports") == 1);
            return queued.get() || call.isDone();
        });
        return queued.get() ? call : awaitQueued(impatient);
    }

    private void awaitQueue(int length) {
        await("queue").atMost(SLACK).pollInterval(Duration.ofMillis(5)).until(() -> redis.waiting("exports") == length);
    }

    private void assertThatAllKeysExpire() throws IOException {
        assertThat(redis.keys("*")).isNotEmpty();
        for (String key : redis.keys("*")) {
            assertThat(redis.timeToLive(key)).as("time to live of %s", key).isPositive();
        }
    }
}
