package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.ClusterGroup;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.SentinelGroup;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Failover and resharding under load. */
@Tag("long")
class FailoverTest {

    // To detect that a master is down, to agree on it, and to announce the new one.
    private static final Duration FAILOVER = Duration.ofSeconds(15);
    private static final Duration AT_ONCE = Duration.ofSeconds(3);
    // All processes share two cores.
    private static final Duration SLACK = Duration.ofSeconds(5);

    /** Trap 22. */
    @Scenario(value = "Sentinel: kill -9 of the master", expected = "shares serve calls meanwhile; instances that reconnect within two seconds claim their permits, of which none is lost")
    void sentinelFailover(Stage stage) {
        SentinelGroup group = new SentinelGroup(stage);
        loaded(stage, longLease(group.configuration()));

        RedisProcess master = group.master();
        stage.newRun(master, master::kill);
        stage.awaitRecovery("open", FAILOVER);
        stage.awaitEntries(200);
    }

    /** Trap 47. The lease of 30 seconds cannot be what frees the permits. */
    @Scenario(value = "Sentinel: planned failover under load", expected = "no call is rejected; calls succeed within three seconds; nothing is lost")
    void plannedSentinelFailover(Stage stage) {
        planFailover(stage, new SentinelGroup(stage), Map.of());
    }

    /** Trap 47. Clients follow the new master at once, while the old one still accepts writes. */
    @Scenario(value = "Sentinel: planned failover under load, with quarkus.redis.auto-failover=true", expected = "no call is rejected; calls succeed within three seconds; nothing is lost")
    void plannedSentinelFailoverThatClientsFollow(Stage stage) {
        planFailover(stage, new SentinelGroup(stage), Map.of("quarkus.redis.auto-failover", "true"));
    }

    /**
     * Trap 32, Trap 47. The old master has no replicas left and refuses writes ({@code NOREPLICAS}) for seconds before it is
     * demoted, which closes its connections.
     */
    @Scenario(value = "Sentinel: planned failover under load, with two replicas and min-replicas-to-write 1", expected = "calls go to the new master as soon as the old one refuses writes; none is rejected")
    void plannedSentinelFailoverWithReplicasRequired(Stage stage) {
        planFailover(stage, new SentinelGroup(stage, 2, "--min-replicas-to-write", "1"), Map.of());
    }

    private static void planFailover(Stage stage, SentinelGroup group, Map<String, String> more) {
        // Until all sentinels know the new master, also on a busy machine.
        Map<String, String> patient = Map.of("quarkus.redis-bulkhead.command-timeout", "5s");
        loaded(stage, Load.with(longLease(group.configuration()), patient, more));

        long begin = System.nanoTime();
        // For a moment, both servers accept writes independently.
        stage.newRun(group.master(), group::failOver);
        for (String bulkhead : List.of("open", "fair", "single")) {
            stage.awaitRecovery("more of " + bulkhead, AT_ONCE, entered(stage, bulkhead));
        }
        stage.awaitEntries(200);
        for (String bulkhead : List.of("open", "fair", "single")) {
            assertThat(stage.history().longestGap(bulkhead, begin)).as("longest gap between calls of %s", bulkhead)
                    .isLessThan(AT_ONCE.plus(SLACK));
        }
        assertThat(stage.history().rejections()).isEmpty();
    }

    private static List<WorkerProcess> loaded(Stage stage, Map<String, String> configuration) {
        List<WorkerProcess> workers = stage.workers(2, configuration);
        workers.forEach(worker -> worker.load("open", "sync", 3, 20).load("fair", "uni", 3, 20).load("single", "sync", 2, 5));
        stage.awaitEntries(200);
        return workers;
    }

    // No lease ends during the failover.
    private static Map<String, String> longLease(Map<String, String> configuration) {
        return Load.with(configuration, Map.of(Stage.LEASE_PROPERTY, "30s", "worker.wait", "20s"));
    }

    /** Trap 31: an outage affects one server. */
    @Scenario(value = "Cluster: one shard is down, master and replica", expected = "calls of its bulkheads are rejected, and no others")
    void oneShardIsAway(Stage stage) {
        ClusterGroup group = new ClusterGroup(stage, "--cluster-require-full-coverage", "no");
        if (group.masterOf("fair").equals(group.masterOf("open"))) {
            group.moveAway("fair");
        }
        RedisProcess master = group.masterOf("open");
        List<WorkerProcess> workers = stage.workers(2, group.configuration());
        workers.forEach(worker -> worker.load("open", "sync", 3, 20).load("open", "uni", 3, 20).load("fair", "sync", 3, 20)
                .load("fair", "uni", 3, 20));
        stage.awaitEntries(200);
        stage.history().forgetRejections();

        stage.dataLoss(master, () -> {
            group.replicaOf(master).kill();
            master.kill();
        });
        stage.awaitThat("rejections", () -> stage.history().unavailable("open") >= 10);
        assertThat(group.masterOf("fair").command("SET", "{fair}", "served", "PX", "1")).isEqualTo("OK");
        long before = stage.history().entries("fair");
        stage.awaitThat("executions of the other shard", () -> stage.history().entries("fair") >= before + 100);
        assertThat(stage.history().unavailable("fair")).as("rejections of the other shard").isZero();
        stage.repair(master::start);
        stage.awaitRecovery("open", FAILOVER);
        assertThat(stage.history().unavailable("fair")).as("rejections of the other shard").isZero();
    }

    /** Trap 22, Trap 23. */
    @Scenario(value = "Cluster: kill -9 of a master", expected = "shares serve calls meanwhile; instances that reconnect within two seconds claim their permits, of which none is lost")
    void clusterFailover(Stage stage) {
        ClusterGroup group = new ClusterGroup(stage);
        loaded(stage, longLease(group.configuration()));

        RedisProcess master = group.masterOf("open");
        stage.newRun(master, master::kill);
        stage.awaitRecovery("open", FAILOVER);
        stage.awaitRecovery("fair", FAILOVER);
        stage.awaitEntries(200);
    }

    /** Trap 23. */
    @Scenario(value = "Cluster: the slot of a bulkhead moves to another master", expected = "calls are retried while the keys are split, and rejected only after command-timeout; only fresh offers may be lost")
    void clusterResharding(Stage stage) {
        stage.permitsMayBeLost();
        ClusterGroup group = new ClusterGroup(stage);
        List<WorkerProcess> workers = loaded(stage, group.configuration());

        for (String bulkhead : List.of("open", "fair", "single")) {
            stage.fault(() -> group.moveAway(bulkhead));
            stage.awaitRecovery("more of " + bulkhead, FAILOVER, entered(stage, bulkhead));
            stage.awaitEntries(50);
        }
        assertThat(workers).allSatisfy(worker -> assertThat(worker.bulkheadsOfLosses()).doesNotContain("open"));
    }

    private static Callable<Boolean> entered(Stage stage, String bulkhead) {
        long before = stage.history().entries(bulkhead);
        return () -> stage.history().entries(bulkhead) > before;
    }
}
