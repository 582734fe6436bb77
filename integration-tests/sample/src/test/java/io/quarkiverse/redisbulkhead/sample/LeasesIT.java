package io.quarkiverse.redisbulkhead.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.h2.tools.Server;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkiverse.redisbulkhead.sample.support.OutsideServer;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Leases that are renewed, and one that expires because its process is paused. */
class LeasesIT extends ProcessTestBase {

    private static final Duration LEASE = Duration.ofSeconds(2);
    // A lease is at least three times as long.
    private static final String COMMAND_TIMEOUT = "quarkus.redis-bulkhead.command-timeout";
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String DATABASE = "mem:ledger;DB_CLOSE_DELAY=-1";

    @BeforeEach
    void startOutside() {
        outside = new OutsideServer(new Gate());
    }

    @Test
    @DisplayName("Renewal keeps permits for more than three leases: one, and twenty of one bulkhead")
    void renewed() throws Exception {
        SampleProcess application = start(Map.of(COMMAND_TIMEOUT, "600ms", "quarkus.redis-bulkhead.\"reports\".permits", "20",
                "quarkus.redis-bulkhead.\"reports\".expire", "2s", "quarkus.redis-bulkhead.\"exports\".permits", "1",
                "quarkus.redis-bulkhead.\"exports\".expire", "2s", "quarkus.redis-bulkhead.\"exports\".max-wait", "0s"));
        awaitReady();
        for (boolean undisturbed = false; !undisturbed;) {
            undisturbed = renewsForThreeLeases(application);
        }
    }

    // False if the application stood still meanwhile and may have lost permits.
    private boolean renewsForThreeLeases(SampleProcess application) throws Exception {
        int lossesBefore = losses(application).size();
        List<CompletableFuture<HttpResponse<String>>> reports = IntStream.range(0, 20)
                .mapToObj(call -> get(application, "/reports")).toList();
        CompletableFuture<HttpResponse<String>> export = get(application, "/exports");
        outside.reports().awaitInside(20);
        outside.exports().awaitInside(1);
        List<String> reporting = redis.shares("reports");
        List<String> exporting = redis.shares("exports");
        assertThat(redis.permits("reports")).isEqualTo(20);
        assertThat(redis.permits("exports")).isEqualTo(1);

        AtomicBoolean kept = new AtomicBoolean(true);
        AtomicReference<Duration> slowest = new AtomicReference<>(Duration.ZERO);
        long end = System.nanoTime() + LEASE.multipliedBy(3).plusMillis(500).toNanos();
        await("three leases").pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(20)).atMost(Duration.ofMinutes(2))
                .until(() -> {
                    long sent = System.nanoTime();
                    kept.set(get(application, "/job").join().statusCode() == 200
                            && reporting.equals(redis.shares("reports"))
                            && exporting.equals(redis.shares("exports")));
                    Duration took = Duration.ofNanos(System.nanoTime() - sent);
                    slowest.updateAndGet(before -> took.compareTo(before) > 0 ? took : before);
                    return !kept.get() || System.nanoTime() - end >= 0;
                });
        boolean disturbed = !kept.get() && slowest.get().compareTo(LEASE.dividedBy(3)) > 0;
        if (!disturbed) {
            assertThat(kept).as("the same permits for three leases, with replies within %s", slowest).isTrue();
            assertThat(get(application, "/reports").join().statusCode()).isEqualTo(429);
            assertThat(get(application, "/exports").join().statusCode()).isEqualTo(429);
        }

        outside.reports().open();
        outside.exports().open();
        assertThat(export.join().statusCode()).isEqualTo(200);
        assertThat(reports).extracting(report -> report.join().statusCode()).containsOnly(200);
        redis.awaitNoLeftovers("reports");
        redis.awaitNoLeftovers("exports");
        outside.reports().shut();
        outside.exports().shut();
        if (!disturbed) {
            assertThat(losses(application)).hasSize(lossesBefore);
        }
        return !disturbed;
    }

    @Test
    @DisplayName("Trap 7: a process that was paused beyond its lease learns of the loss; its late write is refused")
    void paused() throws Exception {
        Server database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        try (Connection observer = DriverManager.getConnection("jdbc:h2:" + DATABASE)) {
            Map<String, String> configuration = Map.of("quarkus.redis-bulkhead.\"ledger\".max-wait", "30s",
                    "quarkus.datasource.jdbc.url", "jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/" + DATABASE);
            Map<String, String> shortLease = new HashMap<>(configuration);
            shortLease.putAll(Map.of(COMMAND_TIMEOUT, "600ms", "quarkus.redis-bulkhead.\"ledger\".expire", "2s"));
            SampleProcess paused = start(shortLease);
            paused.awaitReady(CLIENT);
            SampleProcess successor = start(configuration);
            successor.awaitReady(CLIENT);
            Gate quotes = outside.quotes();

            CompletableFuture<HttpResponse<String>> late = post(paused, "/ledger");
            quotes.awaitInside(1);
            String lost = instance(redis.shares("ledger").get(0));
            paused.pause();

            // The reply for the paused application now waits in its socket.
            quotes.open();
            HttpResponse<String> first = post(successor, "/ledger").join();
            assertThat(first.statusCode()).isEqualTo(200);
            long token = new JsonObject(first.body()).getLong("token");
            assertThat(tokenIn(observer)).isEqualTo(token);

            quotes.shut();
            CompletableFuture<HttpResponse<String>> second = post(successor, "/ledger");
            quotes.awaitInside(1);
            List<String> share = redis.shares("ledger");
            assertThat(share).singleElement().satisfies(one -> assertThat(instance(one)).isNotEqualTo(lost));

            paused.resume();
            HttpResponse<String> refusal = late.join();
            assertThat(refusal.statusCode()).isEqualTo(409);
            JsonObject refused = new JsonObject(refusal.body());
            assertThat(refused.getLong("token")).isLessThan(token);
            assertThat(refused.getBoolean("permitHeld")).isFalse();
            assertThat(tokenIn(observer)).isEqualTo(token);
            await("report of the loss").atMost(SOON).until(() -> losses(paused).size() == 1);
            JsonObject loss = losses(paused).getJsonObject(0);
            assertThat(loss.getString("permitId")).as("the id of a permit begins with the name of its instance")
                    .startsWith(lost);
            assertThat(loss.getLong("fencingToken")).isEqualTo(refused.getLong("token"));
            assertThat(loss.getString("reason")).isIn("LEASE_ENDED", "GONE");
            assertThat(paused.output()).containsOnlyOnce("The permit of Ledger#charge in bulkhead 'ledger' was lost");
            assertThat(redis.shares("ledger")).isEqualTo(share);

            quotes.open();
            assertThat(second.join().statusCode()).isEqualTo(200);
            assertThat(new JsonObject(second.join().body()).getLong("token")).isGreaterThan(token);
            assertThat(losses(successor)).isEmpty();
            redis.awaitNoLeftovers("ledger");
        } finally {
            database.stop();
        }
    }

    // The name of an instance is that of its channel, and ends with what its permits begin with.
    private static String instance(String share) {
        String channel = share.substring(0, share.indexOf(' '));
        return channel.substring(channel.lastIndexOf(':') + 1);
    }

    private static JsonArray losses(SampleProcess application) {
        return new JsonArray(get(application, "/operator/losses").join().body());
    }

    private static long tokenIn(Connection database) throws SQLException {
        try (Statement statement = database.createStatement();
                ResultSet row = statement.executeQuery("SELECT token FROM account")) {
            row.next();
            return row.getLong(1);
        }
    }
}
