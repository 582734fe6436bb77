package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.faults.harness.Extent;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** One process detaches a permit, and another one attaches it. */
class HandOverTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    // No lease ends during such a scenario, so only a release can make a permit free.
    private static final Duration LONG_LEASE = Duration.ofMinutes(1);

    @Scenario(value = "kill -9 of the process that detached a permit, before another attaches it", expected = "the permit stays taken; the other process gets it, and its release serves the next call immediately")
    void firstProcessIsKilled(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = workers(stage, 3, redis, LONG_LEASE);
        String token = workers.get(0).detach("single");
        Held next = workers.get(2).hold("single");
        stage.awaitThat("a waiter", () -> redis.waiters("single") == 1);

        stage.fault(workers.get(0)::kill);
        assertThat(redis.permits("single")).as("permits taken before the attach").isEqualTo(1);
        Held attached = workers.get(1).attach("single", token);
        stage.awaitRecovery("the other process has the permit", AT_ONCE, attached::isInside);
        assertThat(stage.inside("single")).as("executions").isEqualTo(1);
        assertThat(redis.permits("single")).as("permits taken after the attach").isEqualTo(1);

        stage.repair(attached::leave);
        stage.awaitRecovery("the next call is inside", AT_ONCE, next::isInside);
        next.leave();
    }

    @Scenario(value = "a detached permit is never attached", expected = "it is free after one lease, although its first process lives; a later attach fails")
    void noProcessAttaches(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = workers(stage, 2, redis, Stage.LEASE);
        String token = workers.get(0).detach("single");
        stage.countFaults(1);
        stage.faultIsOver();
        Held next = workers.get(1).hold("single");
        stage.awaitRecovery("the next call is inside", Stage.LEASE, next::isInside);

        workers.get(1).attach("single", token).awaitDone();
        assertThat(gone(stage, "single")).isEqualTo(1);
        next.leave();
    }

    /** Trap 3. */
    @Scenario(value = "kill -9 of the process that attached a permit", expected = "the permit is free within one lease")
    void secondProcessIsKilled(Stage stage) {
        Duration lease = Duration.ofSeconds(5);
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = workers(stage, 2, redis, lease);
        Held attached = workers.get(1).attach("single", workers.get(0).detach("single"));
        stage.awaitThat("the permit is attached", attached::isInside);
        Held next = workers.get(0).hold("single");
        stage.awaitThat("a waiter", () -> redis.waiters("single") == 1);
        if (Extent.isFull()) {
            // Renewals keep it alive beyond the lease with which it was detached and attached.
            stage.passes(lease.plusSeconds(1));
        }
        assertThat(next.isInside()).as("next call is inside").isFalse();

        stage.fault(workers.get(1)::kill);
        stage.awaitRecovery("the next call is inside", lease, next::isInside);
        next.leave();
    }

    @Scenario(value = "the process that detached permits stops; two others attach each permit at the same moment", expected = "the shutdown releases none; one attach succeeds, the other fails")
    void twoProcessesAttach(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = workers(stage, 3, redis, LONG_LEASE);
        WorkerProcess first = workers.get(0);
        List<String> tokens = Stream.generate(() -> first.detach("open")).limit(3).toList();
        stage.fault(() -> {
            first.terminate();
            first.awaitEnd(Duration.ofSeconds(30));
        });
        assertThat(redis.permits("open")).as("permits taken after the shutdown").isEqualTo(tokens.size());

        List<Held> winners = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            Held one = workers.get(1 + i % 2).attach("open", tokens.get(i));
            Held other = workers.get(2 - i % 2).attach("open", tokens.get(i));
            stage.awaitThat("one has the permit, the other one has failed",
                    () -> one.isInside() && other.isDone() || other.isInside() && one.isDone());
            winners.add(one.isInside() ? one : other);
            assertThat(stage.inside("open")).as("executions").isEqualTo(i + 1);
            assertThat(gone(stage, "open")).as("rejections").isEqualTo(i + 1);
        }
        assertThat(redis.permits("open")).as("permits taken after the attaches").isEqualTo(tokens.size());
        winners.forEach(Held::leave);
    }

    private static List<WorkerProcess> workers(Stage stage, int number, RedisProcess redis, Duration lease) {
        return stage.workers(number, redis.url(),
                Map.of(Stage.LEASE_PROPERTY, lease.toSeconds() + "s", "worker.wait", "60s"));
    }

    private static long gone(Stage stage, String bulkhead) {
        return stage.history().rejections().getOrDefault(bulkhead + " gone", 0L);
    }
}
