package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Which server gets a call, with sentinels and in a cluster. */
class TopologyOfManyServersTest {

    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(25);

    /** What a call has found. */
    private record Found(String server, long sinceMillis, String value) {
    }

    private static Topology topology(Vertx vertx, RedisOptions options) {
        return new Topology(vertx, options, "quarkus.redis", "test", LONG_TIMEOUT, 1, true);
    }

    private static Found set(Topology topology, String key) throws Exception {
        return Restated.until(() -> topology.send(key, key.getBytes(StandardCharsets.UTF_8), connection -> {
            Found found = new Found(connection.server(), connection.serverSinceMillis(), "");
            return connection.send(Request.cmd(Command.SET).arg(key).arg("x").arg("GET"))
                    .map(old -> new Found(found.server(), found.sinceMillis(), old == null ? "" : old.toString()));
        })).get(60, TimeUnit.SECONDS);
    }

    /** Trap 32: calls follow the master after a planned failover; its run is another one. */
    @Test
    void callsFollowTheSentinels() throws Exception {
        Vertx vertx = Vertx.vertx();
        RecordedEvents events = new RecordedEvents();
        try (TestSentinels sentinels = new TestSentinels();
                Topology topology = topology(vertx, sentinels.options());
                LoggedWarnings log = new LoggedWarnings(Outage.class)) {
            topology.listen(events);
            Found before = set(topology, "test:{a}");
            assertThat(before.sinceMillis()).isEqualTo(-1);
            sentinels.failOver();

            Found after = set(topology, "test:{a}");
            assertThat(after.server()).isNotEqualTo(before.server());
            assertThat(sentinels.master().command("INFO", "server").toString()).contains("run_id:" + after.server());
            assertThat(after.sinceMillis()).isNotNegative();
            assertThat(after.value()).isEqualTo("x");
            assertThat(events.count("differ")).isPositive();
            assertThat(log.texts()).isEmpty();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    /** Trap 23: each key goes to the node that has its slot; a dead seed is no outage. */
    @Test
    void keysAreOnAllNodesOfACluster() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (TestCluster cluster = new TestCluster(); LoggedWarnings log = new LoggedWarnings(Outage.class)) {
            RedisOptions options = cluster.restrictedOptions(TestStore.SCRIPT);
            List<String> endpoints = new ArrayList<>(options.getEndpoints());
            endpoints.add(0, "redis://bulkhead:secret@127.0.0.1:" + TestRedis.freePort());
            endpoints.add(2, "redis://bulkhead:secret@127.0.0.1:" + TestRedis.freePort());
            options.setEndpoints(endpoints);
            cluster.node().command("ACL", "SETUSER", "bulkhead", "+info");
            try (Topology topology = topology(vertx, options)) {
                for (int i = 0; i < 100; i++) {
                    set(topology, "test:{" + i + "}");
                }
                assertThat(cluster.keys()).as("each node holds keys").doesNotContain(0);
                assertThat(cluster.keys().stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
                assertThat(log.texts()).isEmpty();
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    /** Trap 23: a slot moves under calls; those for keys that have moved are asked for, then the others follow. */
    @Test
    void callsFollowASlotThatMoves() throws Exception {
        Vertx vertx = Vertx.vertx();
        RecordedEvents events = new RecordedEvents();
        try (TestCluster cluster = new TestCluster();
                Topology topology = topology(vertx, cluster.restrictedOptions(TestStore.SCRIPT))) {
            topology.listen(events);
            Found before = set(topology, "test:{a}");
            assertThat(before.sinceMillis()).isEqualTo(-1);
            int slot = cluster.node().command("CLUSTER", "KEYSLOT", "test:{a}").toInteger();
            TestRedis source = cluster.ownerOf(slot);
            TestRedis target = cluster.otherThan(source);
            target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.command("CLUSTER", "MYID"));
            source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.command("CLUSTER", "MYID"));
            // Refused with TRYAGAIN or referred with ASK while the keys are split.
            source.command("MIGRATE", "127.0.0.1", target.port(), "test:{a}", 0, 10_000);
            Found during = set(topology, "test:{a}");
            assertThat(during.value()).isEqualTo("x");
            assertThat(during.sinceMillis()).as("this key has another server now").isZero();
            cluster.assign(slot, target);

            Found after = set(topology, "test:{a}");
            assertThat(after.value()).isEqualTo("x");
            assertThat(after.sinceMillis()).isNotNegative();
            await().atMost(30, TimeUnit.SECONDS).until(() -> events.count("differ") > 0);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    /** Two nodes name each other for a moment while a slot moves: the caller does not notice. */
    @Test
    void callOutlastsNodesThatNameEachOther() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (TestCluster cluster = new TestCluster();
                Topology topology = topology(vertx, cluster.restrictedOptions(TestStore.SCRIPT))) {
            set(topology, "test:{a}");
            int slot = cluster.node().command("CLUSTER", "KEYSLOT", "test:{a}").toInteger();
            TestRedis source = cluster.ownerOf(slot);
            TestRedis target = cluster.otherThan(source);
            source.command("DEL", "test:{a}");
            source.command("CLUSTER", "SETSLOT", slot, "NODE", target.command("CLUSTER", "MYID"));

            CompletableFuture<Response> reply = topology.send("test:{a}", "test:{a}".getBytes(StandardCharsets.UTF_8),
                    connection -> connection.send(Request.cmd(Command.SET).arg("test:{a}").arg("x"))).toCompletableFuture();
            await().atMost(30, TimeUnit.SECONDS).until(() -> moved(source) + moved(target) > 5);
            target.command("CLUSTER", "SETSLOT", slot, "NODE", target.command("CLUSTER", "MYID"));

            assertThat(reply.get(30, TimeUnit.SECONDS)).hasToString("OK");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static int moved(TestRedis node) {
        return node.command("INFO", "errorstats").toString().lines().filter(line -> line.startsWith("errorstat_MOVED:"))
                .mapToInt(line -> Integer.parseInt(line.strip().replaceAll("\\D+", ""))).sum();
    }

    /** Trap 31: an outage affects one server. */
    @Test
    void outageOfANodeAffectsNoOther() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (TestCluster cluster = new TestCluster()) {
            for (TestRedis node : cluster.nodes()) {
                node.command("CONFIG", "SET", "cluster-require-full-coverage", "no");
            }
            try (Topology topology = new Topology(vertx, cluster.restrictedOptions(TestStore.SCRIPT), "quarkus.redis", "test",
                    Duration.ofSeconds(1), 1, true)) {
                Set<String> keys = new HashSet<>();
                IntStream.range(0, 30).forEach(i -> keys.add("test:{" + i + "}"));
                for (String key : keys) {
                    set(topology, key);
                }
                TestRedis dead = cluster.nodes().get(2);
                long pid = dead.pid();
                TestRedis.signal(pid, "STOP");
                try {
                    int failed = 0;
                    for (String key : keys) {
                        int slot = cluster.node().command("CLUSTER", "KEYSLOT", key).toInteger();
                        boolean ofDead = slot >= cluster.firstSlotOf(2);
                        CompletableFuture<Found> reply = CompletableFuture.supplyAsync(() -> {
                            try {
                                return set(topology, key);
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
                        assertThat(reply.handle((found, failure) -> failure != null).get(60, TimeUnit.SECONDS)).as(key)
                                .isEqualTo(ofDead);
                        failed += ofDead ? 1 : 0;
                    }
                    assertThat(failed).isPositive();
                } finally {
                    TestRedis.signal(pid, "CONT");
                }
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
