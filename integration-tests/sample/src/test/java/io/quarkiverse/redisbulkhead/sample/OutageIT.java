package io.quarkiverse.redisbulkhead.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;

/** Each of the three policies applies to one bulkhead. {@code OutagePolicyTest} has outages in the middle of calls. */
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

    @Test
    @DisplayName("Trap 25: Redis is away at the start: the application starts, and goes by the policies until it is there")
    void atStart() throws Exception {
        redis.kill();
        SampleProcess application = start(POLICIES);
        application.awaitStarted();

        assertThatPoliciesHold(application);
        outside.exports().open();
        outside.quotes().open();

        redis.start();
        assertThatRedisIsUsed(application);
    }

    // Requires shut gates. Leaves calls inside.
    private void assertThatPoliciesHold(SampleProcess application) throws Exception {
        HttpResponse<String> rejected = get(application, "/reports").join();
        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(rejected.headers().firstValueAsLong("Retry-After").orElseThrow()).isPositive();

        get(application, "/exports");
        get(application, "/exports");
        outside.exports().awaitInside(2);

        List<CompletableFuture<HttpResponse<String>>> local = Stream.generate(() -> get(application, "/partner/quote"))
                .limit(LOCAL_LIMIT).toList();
        outside.quotes().awaitInside(LOCAL_LIMIT);
        assertThat(get(application, "/partner/quote").join().statusCode()).isEqualTo(429);
        assertThat(local).noneMatch(CompletableFuture::isDone);
    }

    // A probe detects that Redis is back, and the server grants nothing new in the grace period after its start.
    private void assertThatRedisIsUsed(SampleProcess application) {
        Gate exports = outside.exports();
        await("a permit of Redis").atMost(SOON).until(() -> {
            exports.shut();
            CompletableFuture<HttpResponse<String>> call = get(application, "/exports");
            exports.awaitInside(1);
            boolean hasPermit = redis.permits("exports") == 1;
            exports.open();
            assertThat(call.join().statusCode()).isEqualTo(200);
            return hasPermit;
        });
        awaitNoLeftovers("exports");
    }
}
