package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Which server gets a call, with sentinels and in a cluster. */
class TopologyOfManyServersTest {

    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(25);

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** What a call has found. */
    private record Found(String server, long sinceMillis, String value) {
    }

    private Topology topology(RedisOptions options) {
        return new Topology(vertx, options, "quarkus.redis", "test", LONG_TIMEOUT, true);
    }

    private static Found set(Topology topology, String key) throws Exception {
        return Restated.until(() -> topology.send(key, key, connection -> {
            Found found = new Found(connection.server(), connection.serverSinceMillis(), "");
            return connection.send(Request.cmd(Command.SET).arg(key).arg("x").arg("GET"))
                    .map(old -> new Found(found.server(), found.sinceMillis(), old == null ? "" : old.toString()));
        })).get(60, TimeUnit.SECONDS);
    }

    /** Trap 23: a slot moves under calls; those for keys that have moved are asked for, then the others follow. */
    @Test
    void callsFollowASlotThatMoves() throws Exception {
        RecordedEvents events = new RecordedEvents();
        try (TestCluster cluster = new TestCluster();
                Topology topology = topology(cluster.restrictedOptions(TestStore.SCRIPT))) {
            topology.listen(events);
            Found before = set(topology, "test:{a}");
            assertThat(before.sinceMillis()).isEqualTo(-1);
            awaitSlotsAreKnown(cluster);
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
        }
    }

    /** Two nodes name each other for a moment while a slot moves: the caller does not notice. */
    @Test
    void callOutlastsNodesThatNameEachOther() throws Exception {
        try (TestCluster cluster = new TestCluster();
                Topology topology = topology(cluster.restrictedOptions(TestStore.SCRIPT))) {
            set(topology, "test:{a}");
            int slot = cluster.node().command("CLUSTER", "KEYSLOT", "test:{a}").toInteger();
            TestRedis source = cluster.ownerOf(slot);
            TestRedis target = cluster.otherThan(source);
            source.command("DEL", "test:{a}");
            source.command("CLUSTER", "SETSLOT", slot, "NODE", target.command("CLUSTER", "MYID"));

            CompletableFuture<Response> reply = topology.send("test:{a}", "test:{a}",
                    connection -> connection.send(Request.cmd(Command.SET).arg("test:{a}").arg("x"))).toCompletableFuture();
            await().atMost(30, TimeUnit.SECONDS).until(() -> moved(source) + moved(target) > 5);
            target.command("CLUSTER", "SETSLOT", slot, "NODE", target.command("CLUSTER", "MYID"));

            assertThat(reply.get(30, TimeUnit.SECONDS)).hasToString("OK");
        }
    }

    /**
     * The bulkheads of other slots have lost nothing: no grace begins for them, and they are not stated again, or moving a
     * thousand slots would make each instance state all of its bulkheads as often.
     */
    @Test
    void slotThatMovesConcernsItsBulkheadsOnly() throws Exception {
        RecordedEvents events = new RecordedEvents();
        try (TestCluster cluster = new TestCluster();
                Topology topology = topology(cluster.restrictedOptions(TestStore.SCRIPT))) {
            topology.listen(events);
            set(topology, "test:{a}:");
            set(topology, "test:{b}:");
            awaitSlotsAreKnown(cluster);
            int slot = cluster.node().command("CLUSTER", "KEYSLOT", "{a}").toInteger();
            TestRedis source = cluster.ownerOf(slot);
            source.command("DEL", "test:{a}:");
            cluster.assign(slot, cluster.otherThan(source));

            assertThat(set(topology, "test:{a}:").sinceMillis()).isNotNegative();
            await().atMost(30, TimeUnit.SECONDS).until(() -> events.count("differ") == 1);
            assertThat(events.concern("a")).isTrue();
            assertThat(events.concern("b")).isFalse();
            assertThat(set(topology, "test:{a}:").sinceMillis()).isNotNegative();
            assertThat(set(topology, "test:{b}:").sinceMillis()).isEqualTo(-1);
        }
    }

    /** A node that was restarted concerns the bulkheads of its slots only. */
    @Test
    void nodeThatIsBackConcernsItsBulkheadsOnly() throws Exception {
        RecordedEvents events = new RecordedEvents();
        try (TestCluster cluster = new TestCluster();
                Topology topology = topology(cluster.restrictedOptions(TestStore.SCRIPT))) {
            topology.listen(events);
            set(topology, "test:{a}:");
            set(topology, "test:{b}:");
            awaitSlotsAreKnown(cluster);
            TestRedis ofA = cluster.ownerOf(cluster.node().command("CLUSTER", "KEYSLOT", "{a}").toInteger());
            TestRedis ofB = cluster.ownerOf(cluster.node().command("CLUSTER", "KEYSLOT", "{b}").toInteger());
            assertThat(ofA).isNotEqualTo(ofB);
            ofA.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");

            await().atMost(30, TimeUnit.SECONDS).until(() -> events.count("differ") == 1);
            assertThat(events.concern("a")).isTrue();
            assertThat(events.concern("b")).isFalse();
            assertThat(set(topology, "test:{a}:").sinceMillis()).as("the same run").isEqualTo(-1);
        }
    }

    /** A node that the others do not reach reports what it knew before: the next one is asked. */
    @Test
    void anotherNodeIsAskedWhenTheFirstHasNoNews() throws Exception {
        try (TestRedis redis = new TestRedis(TestRedis.freePort(), "cluster-enabled yes");
                StaleNode stale = new StaleNode(TestRedis.freePort(), redis.port())) {
            redis.start();
            redis.command("CLUSTER", Stream.concat(Stream.of("ADDSLOTS"), IntStream.range(0, 16_384).boxed()).toArray());
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> redis.command("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
            // The second endpoint is asked first.
            RedisOptions options = new RedisOptions().setType(RedisClientType.CLUSTER).setProtocolNegotiation(false)
                    .addConnectionString("redis://127.0.0.1:" + redis.port())
                    .addConnectionString("redis://127.0.0.1:" + stale.port());
            try (Topology topology = topology(options)) {
                assertThat(set(topology, "test:{a}:").server()).isNotEqualTo(StaleNode.RUN_ID);
                assertThat(stale.reports()).isPositive();
            }
        }
    }

    // Then there is a connection to each node.
    private static void awaitSlotsAreKnown(TestCluster cluster) {
        await().atMost(30, TimeUnit.SECONDS).until(() -> cluster.nodes().stream()
                .allMatch(node -> node.command("CLIENT", "LIST").toString().contains("user=bulkhead")));
    }

    /** A cold application connects slowly: slots are asked for once, and no call fails because another answer has no news. */
    @Test
    void callsOfAColdApplicationSucceed() throws Exception {
        try (TestCluster cluster = new TestCluster();
                Topology topology = topology(cluster.restrictedOptions(TestStore.SCRIPT))) {
            cluster.nodes().forEach(node -> node.command("CLIENT", "PAUSE", 1_000, "ALL"));
            List<CompletableFuture<Response>> calls = new CopyOnWriteArrayList<>();
            long timer = vertx.setPeriodic(10, tick -> calls.add(topology.send("test:{a}", "test:{a}",
                    connection -> connection.send(Request.cmd(Command.SET).arg("test:{a}").arg("x"))).toCompletableFuture()));

            await().atMost(30, TimeUnit.SECONDS).until(() -> calls.stream().anyMatch(CompletableFuture::isDone));
            vertx.cancelTimer(timer);
            assertThat(CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))).succeedsWithin(LONG_TIMEOUT);
        }
    }

    /** A cluster has one database. Another one in the address is refused immediately, with the property to change. */
    @Test
    void databaseIsRefused() throws Exception {
        try (LoggedWarnings log = new LoggedWarnings(RedisNode.class);
                TestCluster cluster = new TestCluster();
                Topology topology = topology(new RedisOptions().setType(RedisClientType.CLUSTER)
                        .setConnectionString("redis://127.0.0.1:" + cluster.node().port() + "/1"))) {
            topology.listen(new RecordedEvents());
            assertThatThrownBy(() -> set(topology, "test:{a}")).rootCause()
                    .hasMessageContaining("only database 0: remove the number at the end of quarkus.redis.hosts");
            assertThat(log.texts()).singleElement().asString().startsWith("Redis Cluster refuses the connection.")
                    .contains("until Redis Cluster is available");
        }
    }

    private static int moved(TestRedis node) {
        return node.command("INFO", "errorstats").toString().lines().filter(line -> line.startsWith("errorstat_MOVED:"))
                .mapToInt(line -> Integer.parseInt(line.strip().replaceAll("\\D+", ""))).sum();
    }
}
