package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.Proxy;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.Store;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** The network between applications and Redis is slow, loses replies, or is down. */
@Tag("long")
class NetworkTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);
    // Less than the five seconds that calls wait for a permit: a call that waits this long for Redis hangs.
    private static final Duration NO_HANG = COMMAND_TIMEOUT.multipliedBy(4);
    private static final Duration ATTEMPT = Duration.ofSeconds(5);
    // Waiters poll within this time if no message arrives.
    private static final Duration POLL = Duration.ofSeconds(2);

    @Scenario(value = "200 ms added in each direction", expected = "everything works, more slowly", stores = Store.SCRIPT)
    void isSlow(Stage stage) {
        isSlow(stage, 200);
    }

    /** A step takes up to four round trips, and one of an application waits for those of the others. */
    @Scenario(value = "25 ms added in each direction", expected = "everything works, more slowly", stores = Store.LOCK)
    void isSlowForSteps(Stage stage) {
        isSlow(stage, 25);
    }

    private static void isSlow(Stage stage, long millis) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        List<WorkerProcess> workers = stage.workers(2, proxy.url(), Load.PATIENT);
        Held held = workers.get(0).hold("open");
        stage.awaitInside("open", 1);
        workers.forEach(worker -> worker.load("open", "sync", 1, 20).load("open", "uni", 1, 20).load("fair", "sync", 1, 20)
                .load("fair", "uni", 1, 20));
        stage.awaitEntries(100);
        stage.history().forgetRejections();

        stage.fault(() -> proxy.delay(millis));
        stage.awaitEntries(30);
        stage.faultLasts(Load.PATIENT_LEASE);
        stage.repair(proxy::heal);
        stage.awaitRecovery("open", AT_ONCE);
        assertThat(stage.history().rejections()).isEmpty();
        held.leave();
        assertThat(workers).allSatisfy(worker -> assertThat(worker.losses()).isEmpty());
    }

    /** Trap 4. */
    @Scenario(value = "5% of replies lost, with their connections", expected = "calls succeed or are rejected; no permit stays taken until its one-minute lease ends")
    void losesReplies(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        Load load = Load.startWithLongLease(stage, proxy.url());

        proxy.loseReplies(0.05);
        stage.awaitThat("lost answers", () -> proxy.cuts() >= 40);
        stage.countFaults(proxy.cuts());
        stage.repair(proxy::heal);
        load.awaitRecovery(AT_ONCE);
        load.assertNothingLost();
    }

    /** Trap 6, Trap 25. */
    @Scenario(value = "connections refused for less than a lease", expected = "calls are retried for command-timeout (1 s), then rejected; waiting callers keep waiting")
    void refusesConnections(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        Load load = Load.startWithLongLease(stage, proxy.url());

        stage.fault(proxy::refuse);
        load.awaitUnavailable();
        stage.faultLasts(Stage.LEASE.dividedBy(2));
        stage.repair(proxy::accept);
        load.awaitRecovery(AT_ONCE);
        load.assertNothingLost();
    }

    /** Trap 25. */
    @Scenario(value = "a server that accepts connections but never replies, from the start", expected = "instances start; calls are rejected")
    void neverReplies(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        stage.fault(proxy::blackHole);
        List<WorkerProcess> workers = stage.workersWithoutRedis(2, proxy.url(), Map.of(), Map.of());
        workers.forEach(worker -> worker.hold("open").awaitDone());
        for (String bulkhead : List.of("open", "fair", "single")) {
            assertCallReturns(workers.get(0), bulkhead);
            assertThat(stage.history().unavailable(bulkhead)).isPositive();
        }
        stage.repair(proxy::heal);
        workers.forEach(worker -> worker.load("open", "sync", 2, 20).load("fair", "uni", 2, 20));
        stage.awaitRecovery("open", AT_ONCE);
        stage.awaitRecovery("fair", AT_ONCE);
    }

    private static void assertCallReturns(WorkerProcess worker, String bulkhead) {
        long began = System.nanoTime();
        worker.hold(bulkhead).awaitDone();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).as("time until a call is rejected").isLessThan(NO_HANG);
    }

    /** Trap 6, Trap 25. */
    @Scenario(value = "black hole for longer than a lease, then connections close", expected = "holders learn of the loss; calls are rejected")
    void isABlackHole(Stage stage) {
        holdersAreCutOff(stage, Proxy::blackHole, Proxy::heal, Duration.ZERO);
    }

    /** Connections that were about to be opened stay dead, too; each attempt has a time limit of at most five seconds. */
    @Scenario(value = "black hole for longer than a lease; dead connections are never closed", expected = "holders learn of the loss; calls are rejected; calls succeed again within five seconds")
    void isABlackHoleThatLeavesDeadConnections(Stage stage) {
        holdersAreCutOff(stage, Proxy::blackHole, Proxy::healSilently, ATTEMPT);
    }

    /** Trap 31. */
    @Scenario(value = "black hole with on-outage=allow", expected = "calls run without permits while Redis is silent, not before or after")
    void isABlackHoleUnderAllow(Stage stage) {
        Proxy proxy = stage.proxy(stage.redis());
        Load load = Load.start(stage, proxy.url(),
                Map.of(Stage.LEASE_PROPERTY, "60s", "quarkus.redis-bulkhead.on-outage", "allow"));

        assertThat(stage.history().entriesWithoutPermit()).isZero();
        stage.silence(proxy::blackHole, COMMAND_TIMEOUT.multipliedBy(5), proxy::heal, AT_ONCE);
        assertThat(stage.history().entriesWithoutPermit()).isPositive();
        load.awaitRecovery(AT_ONCE);
        load.assertNothingLost();
    }

    /** Trap 4. */
    @Scenario(value = "half-open connections for longer than a lease: replies are lost", expected = "holders learn of the loss; calls are rejected")
    void applicationsReceiveNothing(Stage stage) {
        holdersAreCutOff(stage, Proxy::halfOpen, Proxy::heal, Duration.ZERO);
    }

    @Scenario(value = "half-open connections for longer than a lease: requests are lost", expected = "holders learn of the loss; calls are rejected")
    void serverReceivesNothing(Stage stage) {
        holdersAreCutOff(stage, Proxy::halfOpenToTheServer, Proxy::heal, Duration.ZERO);
    }

    private static void holdersAreCutOff(Stage stage, Consumer<Proxy> fault, Consumer<Proxy> repair, Duration attempt) {
        stage.permitsMayBeLost();
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        WorkerProcess near = stage.worker(redis.url());
        WorkerProcess far = stage.worker(proxy.url());
        List<Held> held = far.hold("open", 2);
        stage.awaitInside("open", held.size());
        near.load("open", "sync", 3, 20).load("open", "uni", 3, 20).load("fair", "uni", 3, 20);
        far.load("fair", "sync", 3, 20);
        stage.awaitEntries(50);

        stage.fault(() -> fault.accept(proxy));
        assertCallReturns(far, "open");
        stage.awaitThat("the losses are told", () -> far.losses().size() >= held.size());
        stage.awaitRecovery("all permits in use by the other", Stage.LEASE, () -> stage.inside(near) >= 3);
        assertCallReturns(far, "single");
        assertThat(stage.history().unavailable("open")).isPositive();
        stage.repair(() -> repair.accept(proxy));
        stage.awaitRecovery("the far one is served", AT_ONCE.plus(attempt), () -> stage.inside(far) >= 1);
        held.forEach(Held::leave);
        far.load("open", "sync", 3, 20);
        stage.awaitEntries(100);
        // Otherwise the server would keep connections that its clients have forgotten.
        proxy.cut();
        stage.awaitEntries(20);
    }

    /** Trap 11. */
    @Scenario(value = "the subscription is cut repeatedly while a caller waits", expected = "the waiter resubscribes or polls, and gets its permit within two seconds")
    void messagesAreCutOff(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        List<WorkerProcess> workers = stage.workers(2, proxy.url());
        for (int i = 0; i < 5; i++) {
            Held held = workers.get(0).hold("single");
            stage.awaitThat("the holder", () -> stage.inside(workers.get(0)) == 1);
            Held waiter = workers.get(1).hold("single");
            stage.awaitThat("a waiter", () -> redis.waiters("single") == 1);
            stage.fault(proxy::cutSubscriptions);
            stage.repair(held::leave);
            stage.awaitRecovery("the waiter is inside", POLL, () -> stage.inside(workers.get(1)) == 1);
            waiter.leave();
            stage.awaitThat("a subscription", () -> redis.query(jedis -> !jedis.pubsubChannels("*").isEmpty()));
        }
    }
}
