package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;

/** A Redis Cluster of three masters, started by the test. */
final class TestCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;
    private static final int NODES = 3;

    /** Offset of the cluster bus port. */
    private static final int BUS = 10_000;

    private final List<TestRedis> nodes = new ArrayList<>();

    TestCluster() {
        for (int i = 0; i < NODES; i++) {
            int port = freePort();
            TestRedis node = new TestRedis(port, "cluster-enabled yes", "cluster-node-timeout 15000");
            node.start();
            nodes.add(node);
        }
        for (int i = 0; i < NODES; i++) {
            int first = i * SLOTS / NODES;
            int end = (i + 1) * SLOTS / NODES;
            List<Object> addSlots = new ArrayList<>(List.of("ADDSLOTS"));
            IntStream.range(first, end).forEach(addSlots::add);
            nodes.get(i).command("CLUSTER", addSlots.toArray());
            // Equal epochs are resolved later: a node that raises its own then takes back a slot that has moved meanwhile.
            nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", i + 1);
            nodes.get(i).command("CLUSTER", "MEET", "127.0.0.1", nodes.get(0).port());
        }
        awaitAgreement();
    }

    private void awaitAgreement() {
        await().atMost(Duration.ofSeconds(60)).until(() -> nodes.stream().allMatch(node -> {
            String info = node.command("CLUSTER", "INFO").toString();
            return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + nodes.size());
        }));
    }

    /** Adds a node without slots. */
    TestRedis join() {
        TestRedis node = new TestRedis(freePort(), "cluster-enabled yes", "cluster-node-timeout 15000");
        node.start();
        nodes.add(node);
        node.command("CLUSTER", "MEET", "127.0.0.1", nodes.get(0).port());
        awaitAgreement();
        return node;
    }

    private static int freePort() {
        for (int port = TestRedis.freePort();; port = TestRedis.freePort()) {
            if (port + BUS < 65_536 && isFree(port + BUS)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** The node whose Vert.x instance the test uses. */
    TestRedis node() {
        return nodes.get(0);
    }

    List<TestRedis> nodes() {
        return nodes;
    }

    /** The lowest slot of a node, before slots move. */
    int firstSlotOf(int node) {
        return node * SLOTS / NODES;
    }

    /** The node that has a slot, before slots move. */
    TestRedis ownerOf(int slot) {
        return nodes.get(IntStream.range(0, NODES).filter(i -> slot >= firstSlotOf(i)).max().orElseThrow());
    }

    TestRedis otherThan(TestRedis node) {
        return nodes.stream().filter(other -> other != node).findFirst().orElseThrow();
    }

    /** Ends the move of a slot. */
    void assign(int slot, TestRedis to) {
        Object id = to.command("CLUSTER", "MYID");
        nodes.forEach(node -> node.command("CLUSTER", "SETSLOT", slot, "NODE", id));
    }

    /** The number of keys on each node. */
    List<Integer> keys() {
        return nodes.stream().map(node -> node.command("DBSIZE").toInteger()).toList();
    }

    /** Options of a user with only the documented permissions for this store in a cluster. */
    RedisOptions restrictedOptions(TestStore store) {
        RedisOptions options = new RedisOptions().setType(RedisClientType.CLUSTER);
        for (TestRedis node : nodes) {
            node.command("ACL",
                    Stream.of(Stream.of("SETUSER", "bulkhead"), store.rights().stream(), Stream.of("+cluster", "+asking"))
                            .flatMap(each -> each).toArray());
            options.addConnectionString("redis://bulkhead:secret@127.0.0.1:" + node.port());
        }
        return options;
    }

    @Override
    public void close() {
        nodes.forEach(TestRedis::close);
    }
}
