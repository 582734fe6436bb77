package io.quarkiverse.redisbulkhead.faults.harness;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.testredis.RedisProcess;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A master with replicas, and three sentinels that replace the master when it fails. */
public final class SentinelGroup {

    private static final String MASTER_NAME = "main";
    private static final int SENTINELS = 3;

    private final List<RedisProcess> data = new ArrayList<>();
    private final List<RedisProcess> sentinels = new ArrayList<>();

    /** Starts all of them on a stage, with one replica, and waits until they know each other. */
    public SentinelGroup(Stage stage) {
        this(stage, 1);
    }

    /** As the other one, with more replicas, and options of all servers. */
    public SentinelGroup(Stage stage, int replicas, String... options) {
        RedisProcess master = stage.newRedis(options).start();
        data.add(master);
        for (int i = 0; i < replicas; i++) {
            List<String> ofReplica = new ArrayList<>(List.of("--replicaof", RedisProcess.HOST,
                    Integer.toString(master.port()), "--repl-diskless-sync-delay", "0"));
            ofReplica.addAll(List.of(options));
            data.add(stage.newRedis(ofReplica.toArray(String[]::new)).start());
        }
        for (int i = 0; i < SENTINELS; i++) {
            sentinels
                    .add(stage.newRedis(configuration(stage.newFile("sentinel-" + i + ".conf"), master), "--sentinel").start());
        }
        stage.topology(() -> List.of(master()));
        await("the sentinels to know each other and the replicas").atMost(Duration.ofSeconds(60))
                .until(() -> sentinels.stream().map(sentinel -> sentinel.command("SENTINEL", "MASTER", MASTER_NAME))
                        .allMatch(told -> told.contains("num-slaves, " + replicas + ",")
                                && told.contains("num-other-sentinels, " + (SENTINELS - 1) + ",")));
        await("the replicas").atMost(Duration.ofSeconds(60)).until(() -> data.subList(1, data.size()).stream()
                .allMatch(replica -> replica.command("INFO", "replication").contains("master_link_status:up")));
    }

    private static String configuration(Path file, RedisProcess master) {
        try {
            Files.writeString(file, String.join("\n",
                    "sentinel monitor " + MASTER_NAME + " " + RedisProcess.HOST + " " + master.port() + " 2",
                    "sentinel down-after-milliseconds " + MASTER_NAME + " 1000",
                    "sentinel failover-timeout " + MASTER_NAME + " 5000",
                    "sentinel parallel-syncs " + MASTER_NAME + " 1", ""));
            return file.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Map<String, String> configuration() {
        return Map.of("quarkus.redis.client-type", "sentinel", "quarkus.redis.master-name", MASTER_NAME, "quarkus.redis.hosts",
                sentinels.stream().map(RedisProcess::url).collect(Collectors.joining(",")));
    }

    /** Has a sentinel replace the master by a replica, and returns when the old master is a replica itself. */
    public void failOver() {
        RedisProcess old = master();
        sentinels.get(0).command("SENTINEL", "FAILOVER", MASTER_NAME);
        // A server that changes its role closes the connections of its clients.
        await("the end of the failover").atMost(Duration.ofSeconds(60)).ignoreException(JedisConnectionException.class)
                .until(() -> old.command("ROLE").startsWith("[slave") && !master().equals(old));
    }

    public RedisProcess master() {
        return data.stream().filter(RedisProcess::isAlive)
                .filter(server -> server.command("ROLE").startsWith("[master")).findFirst().orElseThrow();
    }
}
