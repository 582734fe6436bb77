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
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.h2.tools.Server;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** A lease that expires because its process is paused. */
class LeasesIT extends ProcessTestBase {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String DATABASE = "mem:ledger;DB_CLOSE_DELAY=-1";

    @Test
    @DisplayName("Trap 7: a process that was paused beyond its lease learns of the loss; its late write is refused")
    void paused() throws Exception {
        Server database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        try (Connection observer = DriverManager.getConnection("jdbc:h2:" + DATABASE)) {
            Map<String, String> configuration = Map.of("quarkus.redis-bulkhead.\"ledger\".max-wait", "30s",
                    "quarkus.datasource.jdbc.url", "jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/" + DATABASE);
            Map<String, String> shortLease = new HashMap<>(configuration);
            shortLease.putAll(Map.of("quarkus.redis-bulkhead.command-timeout", "2s",
                    "quarkus.redis-bulkhead.\"ledger\".expire", "6s"));
            SampleProcess paused = start(shortLease);
            paused.awaitReady();
            SampleProcess successor = start(configuration);
            successor.awaitReady();
            Gate quotes = outside.quotes;

            CompletableFuture<HttpResponse<String>> late = post(paused, "/ledger");
            quotes.awaitInside(1);
            JsonObject lost = holder(paused);
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
            JsonObject next = holder(successor);
            assertThat(next.getString("instance")).isNotEqualTo(lost.getString("instance"));

            paused.resume();
            HttpResponse<String> refusal = late.join();
            assertThat(refusal.statusCode()).isEqualTo(409);
            JsonObject refused = new JsonObject(refusal.body());
            assertThat(refused.getLong("token")).isLessThan(token);
            assertThat(refused.getBoolean("permitHeld")).isFalse();
            assertThat(tokenIn(observer)).isEqualTo(token);
            await("report of the loss").atMost(SOON).until(() -> losses(paused).size() == 1);
            JsonObject loss = losses(paused).getJsonObject(0);
            assertThat(loss.getString("permitId")).isEqualTo(lost.getString("permitId"));
            assertThat(loss.getLong("fencingToken")).isEqualTo(refused.getLong("token"));
            assertThat(loss.getString("reason")).isIn("LEASE_ENDED", "GONE");
            assertThat(paused.output()).containsOnlyOnce("The permit of Ledger#charge in bulkhead 'ledger' was lost");
            assertThat(holder(successor).getString("permitId")).isEqualTo(next.getString("permitId"));

            quotes.open();
            assertThat(second.join().statusCode()).isEqualTo(200);
            assertThat(new JsonObject(second.join().body()).getLong("token")).isGreaterThan(token);
            assertThat(losses(successor)).isEmpty();
            awaitNoLeftovers("ledger");
        } finally {
            database.stop();
        }
    }

    private static JsonObject holder(SampleProcess application) {
        return new JsonObject(get(application, "/status").join().body()).getJsonArray("bulkheads").stream()
                .map(JsonObject.class::cast).filter(bulkhead -> bulkhead.getString("name").equals("ledger")).findFirst()
                .orElseThrow().getJsonArray("holders").getJsonObject(0);
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
