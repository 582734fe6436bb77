package io.quarkiverse.redisbulkhead.faults.harness;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.testredis.RedisProcess;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A Redis Cluster of three masters, each with a replica. */
public final class ClusterGroup {

    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;

    private final List<RedisProcess> nodes = new ArrayList<>();

    /**
     * Starts all nodes on a stage, with these arguments beside those of every cluster, and waits until they know each other.
     */
    public ClusterGroup(Stage stage, String... arguments) {
        String[] all = Stream.concat(Stream.of("--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
                "--repl-diskless-sync-delay", "0"), Arrays.stream(arguments)).toArray(String[]::new);
        for (int i = 0; i < MASTERS * 2; i++) {
            nodes.add(stage.newRedis(all).start());
        }
        for (int i = 0; i < MASTERS; i++) {
            String[] slots = IntStream.range(i * SLOTS / MASTERS, (i + 1) * SLOTS / MASTERS).mapToObj(Integer::toString)
                    .toArray(String[]::new);
            nodes.get(i).command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), Arrays.stream(slots)).toArray(String[]::new));
        }
        for (RedisProcess node : nodes) {
            node.command("CLUSTER", "MEET", RedisProcess.HOST, Integer.toString(nodes.get(0).port()));
        }
        awaitThat("all nodes to know each other", () -> nodes.stream()
                .allMatch(node -> node.command("CLUSTER", "INFO").contains("cluster_known_nodes:" + nodes.size())));
        for (int i = 0; i < MASTERS; i++) {
            nodes.get(MASTERS + i).command("CLUSTER", "REPLICATE", id(nodes.get(i)));
        }
        awaitThat("the replicas", () -> nodes.stream().skip(MASTERS)
                .allMatch(node -> node.command("INFO", "replication").contains("master_link_status:up")));
        awaitWell();
        stage.topology(this::masters);
    }

    /** Waits until each node reports that all slots are served. */
    public void awaitWell() {
        awaitThat("a cluster that is well", () -> nodes.stream().filter(RedisProcess::isAlive)
                .allMatch(node -> node.command("CLUSTER", "INFO").contains("cluster_state:ok")));
    }

    private static void awaitThat(String what, Callable<Boolean> holds) {
        await(what).atMost(Duration.ofSeconds(60)).until(holds);
    }

    private static String id(RedisProcess node) {
        return node.command("CLUSTER", "MYID");
    }

    public Map<String, String> configuration() {
        return Map.of("quarkus.redis.client-type", "cluster", "quarkus.redis.hosts",
                nodes.stream().map(RedisProcess::url).collect(Collectors.joining(",")));
    }

    private List<RedisProcess> masters() {
        return nodes.stream().filter(RedisProcess::isAlive).filter(node -> node.command("ROLE").startsWith("[master")).toList();
    }

    /** The current master of a bulkhead's keys. */
    public RedisProcess masterOf(String bulkhead) {
        int slot = slot(bulkhead);
        return masters().stream().filter(node -> serves(node, slot)).findFirst().orElseThrow();
    }

    public RedisProcess replicaOf(RedisProcess master) {
        String id = id(master);
        return nodes.stream().filter(RedisProcess::isAlive).filter(node -> node.command("CLUSTER", "NODES").lines()
                .anyMatch(line -> line.contains("myself,slave") && line.contains(id))).findFirst().orElseThrow();
    }

    private static int slot(String bulkhead) {
        return JedisClusterCRC16.getSlot("{" + bulkhead + "}");
    }

    private static boolean serves(RedisProcess node, int slot) {
        String own = node.command("CLUSTER", "NODES").lines().filter(line -> line.contains("myself")).findFirst().orElseThrow();
        return Arrays.stream(own.split(" ")).skip(8).filter(range -> !range.startsWith("[")).anyMatch(range -> {
            String[] ends = range.split("-");
            return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
        });
    }

    /** Moves a bulkhead's slot with its keys to another master, key by key, as operators' tools do. */
    public void moveAway(String bulkhead) {
        RedisProcess source = masterOf(bulkhead);
        RedisProcess target = masters().stream().filter(node -> node != source).findFirst().orElseThrow();
        String slot = Integer.toString(slot(bulkhead));
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", id(source));
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", id(target));
        for (String key = anyKey(source, slot); key != null; key = anyKey(source, slot)) {
            // After a timeout, the target may already have the key; the key of the source counts, because it has served
            // requests meanwhile.
            source.command("MIGRATE", RedisProcess.HOST, Integer.toString(target.port()), key, "0", "5000", "REPLACE");
        }
        // The new owner first: it then has the latest epoch, which decides where nodes disagree.
        target.command("CLUSTER", "SETSLOT", slot, "NODE", id(target));
        masters().stream().filter(node -> node != target)
                .forEach(node -> node.command("CLUSTER", "SETSLOT", slot, "NODE", id(target)));
    }

    private static String anyKey(RedisProcess node, String slot) {
        return node.query(jedis -> jedis.clusterGetKeysInSlot(Integer.parseInt(slot), 1)).stream().findFirst().orElse(null);
    }
}
