package io.quarkiverse.redisbulkhead.faults.scenarios;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.Store;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Large numbers of keys or processes at once. */
@Tag("long")
class CrowdTest {

    private static final int KEYS = 10_000;
    private static final int PROCESSES = 20;

    /** Trap 21. */
    @Scenario(value = "10,000 keyed bulkheads; kill -9 of one instance", expected = "all Redis keys expire")
    void manyKeys(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(3, redis.url());
        workers.forEach(worker -> worker.load("keyed", "sync", 8, 1, KEYS).load("keyed", "uni", 8, 1, KEYS)
                // Few keys, so that callers meet.
                .load("keyed", "uni", 8, 20, 5));
        stage.awaitEntries(KEYS);
        stage.fault(() -> workers.get(0).kill());
        stage.awaitEntries(KEYS);
    }

    @Scenario(value = "20 instances start together", expected = "each instance gets permits")
    void thunderingStart(Stage stage) {
        if (stage.store() == Store.LOCK) {
            // The statement that confirms an offer may not get the lock in time.
            stage.permitsMayBeLost();
        }
        RedisProcess redis = stage.redis();
        // So many processes may delay each other for longer than a short lease.
        List<WorkerProcess> workers = stage.workers(PROCESSES, redis.url(),
                Map.of(Stage.LEASE_PROPERTY, "30s", "worker.wait", "20s"));
        stage.fault(() -> workers
                .forEach(worker -> worker.load("open", "sync", 4, 10).load("fair", "uni", 4, 10).load("single", "sync", 1, 2)));
        for (WorkerProcess worker : workers) {
            stage.awaitRecovery("executions of " + worker.name(), Duration.ofSeconds(30),
                    () -> stage.history().entriesOf(worker.name()) > 0);
        }
        stage.awaitEntries(1_000);
    }
}
