package io.quarkiverse.redisbulkhead.faults.scenarios;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.ClusterGroup;
import io.quarkiverse.redisbulkhead.faults.harness.RedisProcess;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.SentinelGroup;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;

/** Servers that are replaced by others under load. */
@Tag("long")
class FailoverTest {

    // To notice that a master is gone, to agree on it, and to tell everybody.
    private static final Duration FAILOVER = Duration.ofSeconds(15);

    /** Trap 22. */
    @Scenario(value = "Sentinel: kill -9 of the master", expected = "calls work again after the failover; permits that the replica did not know may overlap for up to a lease; tokens go on growing")
    void sentinelFailover(Stage stage) {
        SentinelGroup group = new SentinelGroup(stage);
        List<WorkerProcess> workers = stage.workers(2, group.configuration());
        workers.forEach(worker -> worker.load("open", "sync", 3, 20).load("fair", "uni", 3, 20).load("single", "sync", 2, 5));
        stage.awaitEntries(200);

        RedisProcess master = group.master();
        stage.dataLoss(master, master::kill);
        stage.awaitRecovery("open", FAILOVER);
        stage.awaitEntries(200);
    }

    /** Trap 22, Trap 23. */
    @Scenario(value = "Cluster: kill -9 of a master", expected = "calls work again after the failover; permits that the replica did not know may overlap for up to a lease; tokens go on growing")
    void clusterFailover(Stage stage) {
        ClusterGroup group = new ClusterGroup(stage);
        List<WorkerProcess> workers = stage.workers(2, group.configuration());
        workers.forEach(worker -> worker.load("open", "sync", 3, 20).load("fair", "uni", 3, 20).load("single", "sync", 2, 5));
        stage.awaitEntries(200);

        RedisProcess master = group.masterOf("open");
        stage.dataLoss(master, master::kill);
        stage.awaitRecovery("open", FAILOVER);
        stage.awaitRecovery("fair", FAILOVER);
        stage.awaitEntries(200);
    }

    /** Trap 23. */
    @Scenario(value = "Cluster: the slot of a bulkhead moves to another master", expected = "while its keys are in two places calls may be rejected as unavailable; no permit is lost, and nobody is over the limit")
    void clusterResharding(Stage stage) {
        ClusterGroup group = new ClusterGroup(stage);
        List<WorkerProcess> workers = stage.workers(2, group.configuration());
        workers.forEach(worker -> worker.load("open", "sync", 3, 20).load("fair", "uni", 3, 20).load("single", "sync", 2, 5));
        stage.awaitEntries(200);

        for (String bulkhead : List.of("open", "fair", "single")) {
            stage.fault(() -> group.moveAway(bulkhead));
            stage.awaitRecovery("more of " + bulkhead, FAILOVER, entered(stage, bulkhead));
            stage.awaitEntries(50);
        }
    }

    private static Callable<Boolean> entered(Stage stage, String bulkhead) {
        long before = stage.history().entries(bulkhead);
        return () -> stage.history().entries(bulkhead) > before;
    }
}
