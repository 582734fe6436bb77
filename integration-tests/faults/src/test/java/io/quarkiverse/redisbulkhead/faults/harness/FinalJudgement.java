package io.quarkiverse.redisbulkhead.faults.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.faults.harness.Checker.Verdict;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;
import redis.clients.jedis.Jedis;

/**
 * The final checks of each scenario. After all calls have ended, nothing is held in Redis, every permit can be acquired,
 * every application ends on request, no connection is left, every key has a time to live, and the {@link Checker} finds no
 * violation in the history. No permit was lost, unless the fault allows that.
 */
final class FinalJudgement {

    // A dead waiter keeps its place for three seconds, and lost permits expire within that time in every scenario.
    private static final Duration LAST_TRACES = Duration.ofSeconds(10);
    private static final Duration SLACK = Duration.ofSeconds(15);
    private static final Duration LONGEST_STOP = Duration.ofSeconds(30);

    private final List<WorkerProcess> workers;
    private final Stage.Topology topology;
    private final History history;
    private final Checker checker;
    private final boolean lossesAllowed;

    FinalJudgement(List<WorkerProcess> workers, Stage.Topology topology, History history, Checker checker,
            boolean lossesAllowed) {
        this.workers = workers;
        this.topology = topology;
        this.history = history;
        this.checker = checker;
        this.lossesAllowed = lossesAllowed;
    }

    /** Returns what the checker excused; fails on any violation. */
    Verdict judge() {
        alive().forEach(WorkerProcess::stopLoad);
        alive().forEach(WorkerProcess::awaitLoadStopped);
        awaitNothingHeld();
        alive().stream().findFirst().ifPresent(this::takeAllPermits);
        endAll();
        for (RedisProcess server : topology.servers()) {
            assertThat(server.keysWithoutEnd()).as("keys that never expire").isEmpty();
        }
        for (WorkerProcess worker : workers) {
            assertThat(worker.failures()).as("unexpected failures of %s", worker.name()).isEmpty();
        }
        Evidence evidence = history.evidence();
        if (!lossesAllowed && evidence.losses().isEmpty()) {
            workers.stream().filter(worker -> !worker.hasStoodStill())
                    .forEach(worker -> assertThat(worker.losses()).as("permits lost by %s", worker.name()).isEmpty());
        }
        Verdict verdict = checker.judge(evidence);
        assertThat(verdict.violations()).as(() -> "violations, with these rejections: " + history.rejections()).isEmpty();
        return verdict;
    }

    private List<WorkerProcess> alive() {
        return workers.stream().filter(WorkerProcess::isAlive).toList();
    }

    private void awaitNothingHeld() {
        await("an empty bulkhead").atMost(LAST_TRACES.plus(SLACK)).pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(topology.servers()).flatMap(RedisProcess::livingMembers).isEmpty());
    }

    /** Unless data was lost, one application can acquire all permits. */
    private void takeAllPermits(WorkerProcess taker) {
        Set<String> used = history.evidence().visits().stream().filter(visit -> visit.key().isEmpty()).map(Visit::bulkhead)
                .collect(Collectors.toSet());
        for (String bulkhead : used) {
            int limit = history.currentLimit(bulkhead);
            List<Held> all = taker.hold(bulkhead, limit);
            await("all permits of " + bulkhead).atMost(SLACK)
                    .until(() -> history.inside(visit -> visit.bulkhead().equals(bulkhead)) == limit);
            all.forEach(Held::leave);
        }
    }

    private void endAll() {
        List<WorkerProcess> alive = alive();
        alive.forEach(WorkerProcess::terminate);
        alive.forEach(worker -> worker.awaitEnd(LONGEST_STOP));
        for (RedisProcess server : topology.servers()) {
            await("no connection left").atMost(SLACK)
                    .untilAsserted(() -> assertThat(server.query(FinalJudgement::clients)).isEmpty());
        }
    }

    /** Excludes this connection, replicas, masters and sentinels. */
    private static List<String> clients(Jedis jedis) {
        return jedis.clientList().lines().filter(line -> !line.contains("cmd=client") && !line.contains("flags=S")
                && !line.contains("flags=M") && !line.contains("name=sentinel-")).toList();
    }
}
