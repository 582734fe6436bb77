package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.quarkiverse.redisbulkhead.faults.harness.Extent;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.Store;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Many or dead waiters neither harm the application nor delay others. */
@Execution(ExecutionMode.CONCURRENT)
class ManyWaitersTest {

    private static final int POOL = 20;
    // A busy machine may delay replies from Redis.
    private static final Map.Entry<String, String> PATIENT = Map.entry("quarkus.redis-bulkhead.command-timeout", "5s");
    private static final Map<String, String> HOLDERS_STAY = Map.ofEntries(PATIENT, Map.entry(Stage.LEASE_PROPERTY, "60s"),
            Map.entry("worker.wait", "60s"));

    /** Trap 36. */
    @Scenario(value = "thousands of waiting Unis rejected together, with failure handlers that block", expected = "each is rejected; the number of threads is bounded")
    void rejectionsBlock(Stage stage) {
        // The store rejects more than a thousand holders and waiters together.
        int callers = stage.store() == Store.LOCK ? 800 : Extent.of(300, 4_000);
        RedisProcess redis = stage.redis();
        WorkerProcess worker = stage.workers(1, redis.url(), Map.of(Stage.LEASE_PROPERTY, "60s", "worker.wait", "5s",
                PATIENT.getKey(), PATIENT.getValue(), "quarkus.thread-pool.max-threads", Integer.toString(POOL))).get(0);
        List<Held> holders = holdAll(stage, worker, "fair");
        int before = worker.facts().threads();

        Held crowd = worker.crowd("fair", callers);
        stage.awaitThat("waiters", () -> redis.waiters("fair") > 0);
        stage.fault(() -> stage.awaitThat("the end of their patience", () -> redis.waiters("fair") == 0));
        assertThat(worker.facts().threads()).as("threads; before: " + before).isLessThan(before + 150);
        crowd.leave();
        assertThat(stage.history().rejections()).containsExactly(Map.entry("fair full", (long) callers));
        holders.forEach(Held::leave);
    }

    /** Trap 41. */
    @Scenario(value = "many more callers block for permits than the worker pool has threads", expected = "half of the pool waits; other callers are rejected immediately; work without permits still gets threads")
    void waitersBlockThreads(Stage stage) {
        RedisProcess redis = stage.redis();
        int pool = Extent.of(POOL, 200);
        int callers = Extent.of(60, 260);
        WorkerProcess worker = stage.workers(1, redis.url(),
                Load.with(HOLDERS_STAY, Map.of("quarkus.thread-pool.max-threads", Integer.toString(pool)))).get(0);
        List<Held> holders = holdAll(stage, worker, "open");

        List<Held> waiters = new ArrayList<>();
        stage.fault(() -> {
            for (int i = 0; i < callers; i++) {
                Held waiter = worker.holdOnWorkerPool("open");
                waiter.letLeave();
                waiters.add(waiter);
            }
        });
        stage.awaitRecovery("a task that needs no permit has run", Duration.ofSeconds(5), worker.runUnguarded()::isDone);
        stage.awaitThat("rejections", () -> stage.history().full("open") == callers - pool / 2);
        stage.awaitThat("waiters in half of the pool", () -> worker.waiting("open") == pool / 2);
        assertThat(stage.history().lastExceptions()).singleElement().asString().contains("max-blocked-threads");
        if (Extent.isFull()) {
            assertThat(median(worker)).as("median time until an unguarded task has run").isLessThan(Duration.ofMillis(100));
        }
        holders.forEach(Held::leave);
        stage.awaitThat("the end of the waiters", () -> waiters.stream().allMatch(Held::isDone));
        assertThat(stage.history().full("open")).isEqualTo(callers - pool / 2);
    }

    private static Duration median(WorkerProcess worker) {
        List<Duration> times = Stream.generate(() -> {
            long begin = System.nanoTime();
            worker.runUnguarded().awaitDone();
            return Duration.ofNanos(System.nanoTime() - begin);
        }).limit(51).sorted().toList();
        return times.get(times.size() / 2);
    }

    /** Trap 41. */
    @Scenario(value = "more callers want to wait than max-waiters allows", expected = "max-waiters callers wait, blocking or not; others are rejected immediately")
    void waitersAreBounded(Stage stage) {
        RedisProcess redis = stage.redis();
        WorkerProcess worker = stage.workers(1, redis.url(),
                Load.with(HOLDERS_STAY, Map.of("quarkus.redis-bulkhead.\"fair\".max-waiters", "5"))).get(0);
        List<Held> holders = holdAll(stage, worker, "fair");

        Held crowd = worker.crowd("fair", 4);
        stage.awaitThat("four waiters", () -> redis.waiters("fair") == 4);
        Held fifth = worker.pass("fair");
        stage.awaitThat("five waiters", () -> redis.waiters("fair") == 5);
        stage.fault(() -> worker.pass("fair").awaitDone());
        stage.fault(() -> worker.crowd("fair", 3).leave());
        assertThat(stage.history().rejections()).containsExactly(Map.entry("fair full", 4L));
        assertThat(stage.history().lastExceptions()).singleElement().asString().contains("max-waiters");
        stage.awaitThat("five waiters still", () -> redis.waiters("fair") == 5);
        holders.forEach(Held::leave);
        crowd.leave();
        fifth.awaitDone();
        assertThat(stage.history().full("fair")).isEqualTo(4);
    }

    private static List<Held> holdAll(Stage stage, WorkerProcess worker, String bulkhead) {
        List<Held> holders = worker.hold(bulkhead, 3);
        stage.awaitInside(bulkhead, holders.size());
        return holders;
    }

    /** Trap 10. A lease of 30 seconds cannot be what frees the permits of dead waiters. */
    @Scenario(value = "kill -9 of one of two instances whose callers alternate in the queue, with a lease of 30 seconds", expected = "all callers of the other are served; the dead waiters cost at most five seconds together")
    void oneOfTwoIsKilled(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(),
                Map.of(Stage.LEASE_PROPERTY, "30s", "worker.wait", "60s", PATIENT.getKey(), PATIENT.getValue()));
        WorkerProcess survivor = workers.get(1);
        Held holder = survivor.hold("single");
        stage.awaitInside("single", 1);
        List<Held> waiters = TransientFaultsTest.queue(stage, redis, workers, 10).get(1);

        stage.fault(() -> {
            workers.get(0).kill();
            holder.leave();
        });
        stage.awaitRecovery("the end of the waiters", Duration.ofSeconds(5), () -> waiters.stream().allMatch(Held::isDone));
        assertThat(stage.history().rejections()).isEmpty();
    }

    /** Trap 10. */
    @Tag("long")
    @Scenario(value = "SIGSTOP of an instance with waiting callers until Redis considers it dead, while the only permit stays taken", expected = "its callers queue again with their tickets; no later caller overtakes them; all are served in order")
    void waitersArePaused(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(), HOLDERS_STAY);
        Held holder = workers.get(0).hold("single");
        stage.awaitInside("single", 1);
        WorkerProcess sleeper = workers.get(1);
        List<Held> waiters = TransientFaultsTest.queue(stage, redis, List.of(sleeper), 5).get(0);

        stage.fault(sleeper::pause);
        Held later = workers.get(0).hold("single");
        stage.faultLasts(Duration.ofSeconds(6));
        stage.repair(sleeper::resume);
        stage.awaitThat("all in the queue again", () -> redis.waiters("single") == waiters.size() + 1);
        holder.leave();
        stage.awaitRecovery("the last waiter is inside", Duration.ofSeconds(10), later::isInside);
        assertThat(sleeper.inOrderOfEntry(waiters)).isEqualTo(waiters);
        assertThat(stage.history().rejections()).isEmpty();
        later.leave();
    }
}
