package io.quarkiverse.redisbulkhead.faults.scenarios;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Old and new versions of an application side by side. */
@Tag("long")
class RolloutTest {

    private static final Duration SOON = Duration.ofSeconds(2);

    /** Trap 19. */
    @Scenario(value = "rolling deployment that raises permits and makes the bulkhead fair", expected = "once the last old instance is gone, all permits of the new limit are in use")
    void permitsAreRaised(Stage stage) {
        stage.notAlwaysFair("open");
        RedisProcess redis = stage.redis();
        List<WorkerProcess> old = stage.workers(2, redis.url());
        load(old);
        stage.awaitEntries(200);

        stage.limit("open", 5);
        for (WorkerProcess worker : old) {
            stage.fault(() -> load(stage.workers(1, redis.url(), changed(5, true))));
            stage.awaitEntries(100);
            stop(worker);
        }
        stage.faultIsOver();
        stage.awaitRecovery("five inside", SOON, () -> stage.inside("open") == 5);
        stage.awaitEntries(200);
    }

    /** Trap 19. */
    @Scenario(value = "rolling deployment that lowers permits", expected = "running executions finish; once the last old instance is gone, the new limit holds")
    void permitsAreLowered(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> old = stage.workers(2, redis.url());
        load(old);
        stage.awaitEntries(200);

        for (WorkerProcess worker : old) {
            stage.fault(() -> load(stage.workers(1, redis.url(), changed(2, false))));
            stage.awaitEntries(100);
            stop(worker);
        }
        stage.faultIsOver();
        stage.awaitRecovery("no more than two inside", SOON, () -> stage.inside("open") <= 2);
        stage.limit("open", 2);
        stage.awaitEntries(200);
    }

    private static void load(List<WorkerProcess> workers) {
        workers.forEach(worker -> worker.load("open", "sync", 4, 20).load("open", "uni", 4, 20));
    }

    private static Map<String, String> changed(int permits, boolean fair) {
        return Map.of("quarkus.redis-bulkhead.\"open\".permits", Integer.toString(permits),
                "quarkus.redis-bulkhead.\"open\".fair",
                Boolean.toString(fair));
    }

    /** As a platform stops an instance: running calls may end. */
    private static void stop(WorkerProcess worker) {
        worker.terminate();
        worker.awaitEnd(Duration.ofSeconds(30));
    }
}
