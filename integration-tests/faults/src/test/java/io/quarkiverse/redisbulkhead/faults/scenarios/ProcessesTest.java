package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.faults.harness.Held;
import io.quarkiverse.redisbulkhead.faults.harness.RedisProcess;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;

/** Applications that are killed or paused. */
class ProcessesTest {

    // The time until a silent application counts as dead, and the first lease of a hand-over.
    private static final Duration DEAD = Duration.ofSeconds(3);
    private static final Duration FIRST_LEASE = Duration.ofSeconds(2);

    /** Trap 3. */
    @Scenario(value = "kill -9 of holders", expected = "their permits are free within one lease")
    void holdersAreKilled(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url());
        WorkerProcess victim = workers.get(0);
        List<Held> held = List.of(victim.hold("open"), victim.hold("open"), victim.hold("open"));
        stage.awaitInside("open", held.size());
        workers.get(1).load("open", "sync", 4, 20).load("open", "uni", 4, 20);

        stage.fault(victim::kill);
        stage.awaitRecovery("open", Stage.LEASE);
        stage.awaitEntries(100);
    }

    /** Trap 9, Trap 29. */
    @Scenario(value = "kill -9 of waiters", expected = "they count as dead after three seconds; two seconds later, live callers have all permits")
    void waitersAreKilled(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(3, redis.url());
        List<Held> held = List.of(workers.get(0).hold("fair"), workers.get(0).hold("fair"), workers.get(0).hold("fair"));
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
        stage.awaitRecovery("fair", DEAD.plus(FIRST_LEASE));
        stage.awaitEntries(100);
    }

    /** Trap 10. */
    @Scenario(value = "kill -9 of the first waiter in the queue", expected = "its permit passes to the next waiter after two seconds, the first lease of a hand-over")
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
        stage.awaitRecovery("the next waiter is inside", FIRST_LEASE,
                () -> stage.inside(workers.get(2)) == 1);
        next.leave();
    }

    /** Trap 10. */
    @Scenario(value = "kill -9 of an application while a call of weight 2 waits for both permits of a fair bulkhead", expected = "the call gets both permits within one lease, and light calls follow")
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
        List<Held> held = List.of(sleeper.hold("open"), sleeper.hold("open"));
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
