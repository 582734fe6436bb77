package io.quarkiverse.redisbulkhead.faults.incidents;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.faults.harness.Proxy;
import io.quarkiverse.redisbulkhead.faults.harness.Recording;
import io.quarkiverse.redisbulkhead.faults.harness.SentinelGroup;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Records what the pages draw: {@code -Pincidents}. The other tests judge such runs. */
@Tag("incidents")
class IncidentsTest {

    private static final Path FOLDER = Path.of(System.getProperty("faults.incidents", "target/incidents"));
    private static final int MANY = 1_000;

    private static void record(String name, BiConsumer<Recording, Stage> run) {
        try (Recording recording = new Recording(name, "open")) {
            run.accept(recording, recording.stage());
            recording.end(FOLDER.resolve("incident-" + name + ".txt"));
        }
    }

    @Test
    void full() {
        record("full", (recording, stage) -> {
            stage.limit("open", 5);
            RedisProcess redis = stage.redis();
            List<WorkerProcess> workers = stage.workers(2, redis.url(), Map.of("worker.wait", "0s",
                    "quarkus.redis-bulkhead.\"open\".permits", "5"));
            recording.start(() -> redis, workers);
            for (int i = 0; i < 4; i++) {
                for (WorkerProcess worker : workers) {
                    recording.callers(1, worker, millis(1_500), millis(0), 1);
                    stage.passes(millis(100));
                }
            }
            stage.passes(millis(1_500));
        });
    }

    @Test
    void recall() {
        record("recall", (recording, stage) -> {
            RedisProcess redis = stage.redis();
            List<WorkerProcess> workers = stage.workers(2, redis.url(), configuration("30s", "5s", "10s"));
            recording.start(() -> redis, workers);
            recording.callers(3, workers.get(0), millis(400), millis(200), 2);
            stage.passes(millis(2_000));
            recording.callers(2, workers.get(1), millis(600), millis(200), 2);
            stage.passes(millis(2_500));
        });
    }

    @Test
    void kill() {
        record("kill", (recording, stage) -> {
            WorkerProcess victim = busy(recording, stage);
            recording.state("A", "killed");
            victim.kill();
            stage.passes(millis(6_000));
        });
    }

    @Test
    void pause() {
        record("pause", (recording, stage) -> {
            WorkerProcess sleeper = busy(recording, stage);
            recording.state("A", "paused");
            sleeper.pause();
            stage.passes(millis(5_000));
            recording.stateIsOver("A");
            sleeper.resume();
            stage.passes(millis(2_500));
        });
    }

    // Two long executions in A, which is returned, and callers in B that share what is left.
    private static WorkerProcess busy(Recording recording, Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(), configuration("3s", "10s", "1s"));
        recording.start(() -> redis, workers);
        recording.callers(2, workers.get(0), millis(8_000), millis(0), 1);
        stage.awaitInside("open", 2);
        recording.callers(3, workers.get(1), millis(500), millis(100), MANY);
        stage.passes(millis(2_000));
        return workers.get(0);
    }

    @Test
    void silence() {
        record("silence", (recording, stage) -> {
            RedisProcess redis = stage.redis();
            Proxy proxy = stage.proxy(redis);
            List<WorkerProcess> workers = stage.workers(2, proxy.url(), configuration("15s", "2s", "10s"));
            recording.start(() -> redis, workers);
            recording.callers(1, workers.get(0), millis(600), millis(300), MANY);
            stage.awaitInside("open", 1);
            recording.callers(1, workers.get(1), millis(800), millis(300), MANY);
            stage.passes(millis(2_500));
            recording.state(Recording.REDIS, "silent");
            proxy.blackHole();
            stage.passes(millis(1_000));
            recording.callers(1, workers.get(1), millis(800), millis(300), MANY);
            stage.passes(millis(4_000));
            recording.stateIsOver(Recording.REDIS);
            proxy.heal();
            stage.passes(millis(3_000));
        });
    }

    @Test
    void failover() {
        record("failover", (recording, stage) -> {
            SentinelGroup group = new SentinelGroup(stage);
            Map<String, String> configuration = new HashMap<>(group.configuration());
            configuration.putAll(configuration("30s", "20s", "1s"));
            List<WorkerProcess> workers = stage.workers(2, configuration);
            recording.start(group::master, workers);
            recording.callers(1, workers.get(0), millis(500), millis(100), MANY);
            stage.awaitInside("open", 1);
            recording.callers(1, workers.get(0), millis(500), millis(100), MANY);
            recording.callers(2, workers.get(1), millis(700), millis(100), MANY);
            stage.passes(millis(2_000));
            RedisProcess old = group.master();
            recording.state(Recording.REDIS, "master-killed");
            old.kill();
            stage.awaitThat("a new master", () -> hasMaster(group));
            recording.stateIsOver(Recording.REDIS);
            stage.passes(millis(5_000));
        });
    }

    private static boolean hasMaster(SentinelGroup group) {
        try {
            return group.master().isAlive();
        } catch (RuntimeException e) {
            return false;
        }
    }

    @Test
    void twoMasters() {
        record("two-masters", (recording, stage) -> {
            RedisProcess master = stage.redis();
            RedisProcess replica = stage.newRedis("--replicaof", "127.0.0.1", Integer.toString(master.port())).start();
            stage.awaitThat("the replica",
                    () -> replica.command("INFO", "replication").contains("master_link_status:up"));
            Proxy ofA = stage.proxy(master);
            Proxy ofB = stage.proxy(master);
            Map<String, String> configuration = configuration("3s", "10s", "1s");
            List<WorkerProcess> workers = List.of(stage.workers(1, ofA.url(), configuration).get(0),
                    stage.workers(1, ofB.url(), configuration).get(0));
            recording.start(() -> {
                throw new IllegalStateException("Shares are on two servers");
            }, workers);
            workers.forEach(worker -> recording.callers(3, worker, millis(500), millis(50), MANY));
            stage.passes(millis(2_000));
            recording.state(Recording.REDIS, "two-masters");
            replica.command("REPLICAOF", "NO", "ONE");
            ofA.redirect(replica);
            ofA.cut();
            stage.passes(millis(7_000));
            master.command("REPLICAOF", "127.0.0.1", Integer.toString(replica.port()));
            ofB.redirect(replica);
            ofB.cut();
            recording.stateIsOver(Recording.REDIS);
            stage.passes(millis(3_000));
        });
    }

    private static Map<String, String> configuration(String lease, String wait, String keepIdle) {
        return Map.of(Stage.LEASE_PROPERTY, lease, "worker.wait", wait, "quarkus.redis-bulkhead.\"open\".keep-idle", keepIdle);
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }
}
