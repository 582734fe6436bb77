package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.Extent;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Applications that are killed or paused. */
class ProcessesTest {

    private static final int PERMITS = 3;
    // The time until the calls of a silent application lose their places, and until an offer to it ends.
    private static final Duration DEAD = Duration.ofSeconds(3);
    private static final Duration RECALL_WAIT = Duration.ofMillis(50);
    // No lease ends before it should on a busy machine.
    private static final Duration LONG_LEASE = Duration.ofSeconds(10);
    // A permit that is not used goes back within twice this time.
    private static final Map<String, String> KEEP_IDLE = Map.of("quarkus.redis-bulkhead.\"open\".keep-idle", "5s",
            "worker.wait", "60s", Stage.LEASE_PROPERTY, LONG_LEASE.toSeconds() + "s",
            "quarkus.redis-bulkhead.command-timeout", "3s");

    /** Trap 3. */
    @Scenario(value = "kill -9 of holders", expected = "their permits are free within one lease")
    void holdersAreKilled(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url());
        WorkerProcess victim = workers.get(0);
        List<Held> held = victim.hold("open", PERMITS);
        stage.awaitInside("open", held.size());
        workers.get(1).load("open", "sync", 4, 20).load("open", "uni", 4, 20);

        stage.fault(victim::kill);
        stage.awaitRecovery("open", Stage.LEASE);
        stage.awaitEntries(100);
    }

    /** Trap 3, Trap 48. */
    @Tag("long")
    @Scenario(value = "kill -9 of an instance that keeps idle permits", expected = "they are free within one lease, and serve those that wait")
    void keeperIsKilled(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(), KEEP_IDLE);
        keepAll(stage, redis, workers.get(0));

        stage.fault(workers.get(0)::kill);
        List<Held> held = workers.get(1).hold("open", PERMITS);
        stage.awaitRecovery("open", LONG_LEASE);
        held.forEach(Held::leave);
        assertThat(stage.history().rejections()).isEmpty();
    }

    /** Trap 48, Trap 50. */
    @Tag("long")
    @Scenario(value = "SIGSTOP of an instance that keeps idle permits", expected = "a call that does not wait is rejected as full after 50 ms; waiting calls get the permits after its lease")
    void keeperIsPaused(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(), KEEP_IDLE);
        WorkerProcess impatient = stage.workers(1, redis.url(),
                Load.with(KEEP_IDLE, Map.of("worker.wait", "0s", "quarkus.redis-bulkhead.\"open\".keep-idle", "1s"))).get(0);
        WorkerProcess sleeper = workers.get(0);
        keepAll(stage, redis, sleeper);
        // On a busy machine, the answer to a recall may take longer than 50 ms.
        stage.awaitThat("a permit that was recalled", () -> {
            impatient.pass("open").awaitDone();
            return stage.history().entriesOf(impatient.name()) > 0;
        });
        keepAll(stage, redis, sleeper);
        stage.history().forgetRejections();

        stage.fault(sleeper::pause);
        long began = System.nanoTime();
        impatient.pass("open").awaitDone();
        Duration waited = Duration.ofNanos(System.nanoTime() - began);
        assertThat(stage.history().rejections()).containsOnlyKeys("open full");
        assertThat(waited).as("time until the call is rejected").isGreaterThanOrEqualTo(RECALL_WAIT);
        if (Extent.isFull()) {
            assertThat(waited).as("time until the call is rejected").isLessThan(RECALL_WAIT.multipliedBy(20));
        }
        List<Held> held = workers.get(1).hold("open", PERMITS);
        stage.awaitRecovery("open", LONG_LEASE);
        stage.repair(sleeper::resume);
        Held next = sleeper.hold("open");
        held.forEach(Held::leave);
        stage.awaitRecovery("a call of the application that was paused", DEAD, next::isInside);
        next.leave();
        assertThat(sleeper.losses()).as("losses, with idle permits only").isEmpty();
        assertThat(stage.history().full("open")).isEqualTo(1);
    }

    // Concurrent calls, so that the application has all permits afterwards, and keeps them.
    private static void keepAll(Stage stage, RedisProcess redis, WorkerProcess worker) {
        stage.awaitThat("all permits kept by " + worker.name(), () -> {
            List<Held> held = worker.hold("open", PERMITS);
            stage.awaitThat("all permits", () -> stage.inside(worker) == PERMITS);
            held.forEach(Held::leave);
            return redis.permits("open") == PERMITS && redis.keepers("open") == 1;
        });
    }

    /** Trap 9, Trap 29. */
    @Scenario(value = "kill -9 of waiters", expected = "their places, and the permits offered to them, pass on after three seconds")
    void waitersAreKilled(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(3, redis.url());
        List<Held> held = workers.get(0).hold("fair", PERMITS);
        stage.awaitInside("fair", held.size());
        WorkerProcess victim = workers.get(1);
        victim.load("fair", "sync", 5, 20).load("fair", "uni", 5, 20);
        stage.awaitThat("ten waiters", () -> redis.waiters("fair") == 10);
        workers.get(2).load("fair", "sync", 3, 20).load("fair", "uni", 3, 20);
        stage.awaitThat("six more", () -> redis.waiters("fair") == 16);

        stage.fault(() -> {
            victim.kill();
            held.forEach(Held::leave);
        });
        stage.awaitRecovery("fair", DEAD);
        stage.awaitEntries(100);
    }

    /** Trap 10. */
    @Scenario(value = "kill -9 of the first waiter in the queue", expected = "the permit that it is offered passes to the next waiter after three seconds")
    void headWaiterIsKilled(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(3, redis.url());
        Held held = workers.get(0).hold("single");
        stage.awaitInside("single", 1);
        workers.get(1).hold("single");
        stage.awaitThat("a waiter", () -> redis.waiters("single") == 1);
        Held next = workers.get(2).hold("single");
        stage.awaitThat("another waiter", () -> redis.waiters("single") == 2);

        stage.fault(() -> {
            workers.get(1).kill();
            held.leave();
        });
        stage.awaitRecovery("the next waiter is inside", DEAD,
                () -> stage.inside(workers.get(2)) == 1);
        next.leave();
    }

    /** Trap 10. */
    @Scenario(value = "kill -9 of an instance while a call of weight 2 waits for both permits of a fair bulkhead", expected = "the call gets both permits within one lease, and light calls follow")
    void heavyCallWaits(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(), Map.of("worker.wait", "60s"));
        WorkerProcess victim = workers.get(0);
        WorkerProcess survivor = workers.get(1);
        workers.forEach(worker -> worker.load("pair", "sync", 2, 20).load("pair", "uni", 2, 20));
        for (WorkerProcess worker : workers) {
            stage.awaitEntries(20);
            worker.pass("heavy").awaitDone();
        }
        assertThat(stage.history().rejections()).isEmpty();

        Held light = victim.hold("pair");
        stage.awaitThat("one permit is held", light::isInside);
        Held heavy = survivor.hold("heavy");
        // The heavy call is at the head of the queue, and light calls do not overtake it.
        stage.awaitThat("all others wait", () -> redis.waiters("pair") == 9 && stage.inside("pair") == 1);

        stage.fault(victim::kill);
        stage.awaitRecovery("the heavy call is inside", Stage.LEASE, heavy::isInside);
        assertThat(stage.inside("pair")).as("weights").isEqualTo(2);
        heavy.leave();
        stage.awaitEntries(50);
    }

    /** Trap 7. */
    @Scenario(value = "SIGSTOP of holders for longer than their leases, then SIGCONT", expected = "their permits pass on after one lease; they learn of the loss; their late releases affect no other permit")
    void holdersArePaused(Stage stage) {
        stage.permitsMayBeLost();
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url());
        WorkerProcess sleeper = workers.get(0);
        List<Held> held = sleeper.hold("open", 2);
        stage.awaitInside("open", held.size());
        workers.get(1).load("open", "sync", 4, 20).load("open", "uni", 4, 20);
        stage.awaitEntries(20);

        stage.fault(sleeper::pause);
        stage.awaitRecovery("all permits in use by the other", Stage.LEASE, () -> stage.inside(workers.get(1)) == 3);
        stage.repair(sleeper::resume);
        stage.awaitThat("the losses are told", () -> sleeper.losses().size() == held.size());
        held.forEach(Held::leave);
        stage.awaitEntries(50);
        assertThat(sleeper.losses()).hasSameSizeAs(held);
    }
}
