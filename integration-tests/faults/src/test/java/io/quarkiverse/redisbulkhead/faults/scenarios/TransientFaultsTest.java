package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.quarkiverse.redisbulkhead.faults.harness.ClusterGroup;
import io.quarkiverse.redisbulkhead.faults.harness.Extent;
import io.quarkiverse.redisbulkhead.faults.harness.Proxy;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.Store;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Transient faults: no caller with time left is rejected, and no execution runs without a permit. */
@Execution(ExecutionMode.CONCURRENT)
class TransientFaultsTest {

    // Commands time out after one second, callers after much longer. Where no command is to time out, Load.PATIENT.
    private static final Map<String, String> WAITING = Map.of(Stage.LEASE_PROPERTY, "15s", "worker.wait", "20s");
    private static final Map<String, String> WAITING_LONG = Map.of(Stage.LEASE_PROPERTY, "60s", "worker.wait", "30s");
    // A step of the lock store takes several round trips on one of six connections. So 100 steps take long.
    private static final Map<String, String> LONG_TURNS = Map.of("quarkus.redis-bulkhead.lock-store.contention-timeout", "20s");
    // On a busy machine, several steps of the lock store in a row may be cut.
    private static final Map<String, String> MANY_ATTEMPTS = Map.of("quarkus.redis-bulkhead.command-timeout", "15s",
            Stage.LEASE_PROPERTY, "45s");
    private static final Duration AT_ONCE = Duration.ofSeconds(2);

    /** Trap 31. */
    @Scenario(value = "connections cut repeatedly, and 30% of new handshakes reset", expected = "calls wait for the next attempt; none is rejected; only fresh offers may be lost")
    void handshakesAreReset(Stage stage) {
        handshakesAreReset(stage, stage.proxy(stage.redis()), Map.of());
    }

    /** Trap 31. */
    @Tag("long")
    @Scenario(value = "TLS connections cut repeatedly, and 30% of new handshakes reset", expected = "calls wait for the next attempt; none is rejected; only fresh offers may be lost")
    void tlsHandshakesAreReset(Stage stage) {
        handshakesAreReset(stage, stage.tlsProxy(stage.redis()),
                Map.of("quarkus.redis.tls.enabled", "true", "quarkus.redis.tls.trust-all", "true"));
    }

    /** Trap 31. */
    @Scenario(value = "connections cut repeatedly, and 30% of new handshakes reset, with on-outage=allow", expected = "no call runs without a permit; only fresh offers may be lost")
    void handshakesAreResetUnderAllow(Stage stage) {
        stage.limit("open", 5);
        handshakesAreReset(stage, stage.proxy(stage.redis()),
                Map.of("quarkus.redis-bulkhead.on-outage", "allow", "quarkus.redis-bulkhead.\"open\".permits", "5"));
        assertThat(stage.history().entriesWithoutPermit()).as("executions without a permit").isZero();
        assertThat(stage.history().entriesAboveLimit("open")).as("executions above the limit").isZero();
    }

    private static void handshakesAreReset(Stage stage, Proxy proxy, Map<String, String> more) {
        stage.permitsMayBeLost();
        Load load = Load.start(stage, proxy.url(), Load.with(Load.PATIENT, MANY_ATTEMPTS, more)).withCommandsInFlight();
        proxy.resetHandshakes(0.3);
        for (int i = 0; i < Extent.of(8, 20); i++) {
            stage.fault(proxy::cut);
            stage.faultLasts(Duration.ofMillis(Extent.of(500, 1_000)));
        }
        stage.countFaults(proxy.resets());
        stage.repair(proxy::heal);
        load.awaitRecovery(AT_ONCE);
        load.assertNoRejections();
        load.assertOnlyOffersLost();
    }

    /** Trap 31, Trap 39. */
    @Scenario(value = "the command connection is cut and the next handshake reset, while 50 callers wait", expected = "all are served in order")
    void waitersKeepTheirPlaces(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        WorkerProcess worker = stage.workers(1, proxy.url(), Load.PATIENT).get(0);
        Held holder = worker.hold("single");
        stage.awaitInside("single", 1);
        List<Held> waiters = queue(stage, redis, List.of(worker), 50).get(0);

        // Keeps the subscription, or its reconnect would use up the reset.
        proxy.resetNextHandshakes(1);
        stage.fault(proxy::cutCommands);
        stage.awaitThat("a handshake that is reset", () -> proxy.resets() == 1);
        stage.faultLasts(AT_ONCE);
        stage.repair(holder::leave);
        awaitServed(stage, waiters);
        assertServedInOrder(stage, worker, waiters);
    }

    /** Trap 32. */
    @Scenario(value = "the server is read-only for 150 ms, six times, as in failovers", expected = "calls are retried; none is rejected")
    void becomesAReplicaBriefly(Stage stage) {
        // An offer ends after three seconds, and a busy machine may take longer to confirm it.
        stage.permitsMayBeLost();
        RedisProcess redis = stage.redis();
        Load load = Load.start(stage, redis.url(), Load.PATIENT);

        for (int i = 0; i < 6; i++) {
            stage.fault(() -> redis.command("REPLICAOF", "127.0.0.1", "1"));
            stage.faultLasts(Duration.ofMillis(150));
            stage.repair(() -> redis.command("REPLICAOF", "NO", "ONE"));
            stage.awaitEntries(20);
        }
        load.awaitRecovery(AT_ONCE);
        load.assertNoRejections();
        load.assertOnlyOffersLost();
    }

    /** Trap 33. */
    @Scenario(value = "SIGSTOP of an instance for 1.3 seconds, repeatedly", expected = "its calls continue afterwards; none is rejected; a permit offered to it during a pause may pass on after three seconds")
    void applicationPausesBriefly(Stage stage) {
        stage.permitsMayBeLost();
        Proxy proxy = stage.proxy(stage.redis());
        Load load = Load.start(stage, proxy.url(), WAITING).withCommandsInFlight();
        WorkerProcess sleeper = load.holder();
        // Most callers then have a command in flight when the process stops.
        proxy.delay(30);

        for (int i = 0; i < Extent.of(3, 6); i++) {
            stage.fault(sleeper::pause);
            stage.faultLasts(Duration.ofMillis(1_300));
            stage.repair(sleeper::resume);
            stage.awaitEntries(20);
        }
        proxy.heal();
        load.awaitRecovery(AT_ONCE);
        load.assertNoRejections();
        load.assertOnlyOffersLost();
    }

    /** Trap 39. */
    @Scenario(value = "CLIENT PAUSE WRITE for much longer than command-timeout, while callers wait", expected = "all of them are served afterwards, in the order in which they came")
    void waitersSurviveAPause(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(), WAITING_LONG);
        Held holder = workers.get(0).hold("single");
        stage.awaitInside("single", 1);
        List<List<Held>> waiters = queue(stage, redis, workers, 10);

        Duration pause = Duration.ofSeconds(Extent.of(6, 10));
        stage.fault(() -> redis.command("CLIENT", "PAUSE", Long.toString(pause.toMillis()), "WRITE"));
        stage.faultLasts(pause);
        stage.repair(holder::leave);
        waiters.forEach(waiting -> awaitServed(stage, waiting));
        assertThat(stage.history().workersInOrderOfEntry("single").skip(1).toList()).isEqualTo(
                IntStream.range(0, 20).mapToObj(turn -> workers.get(turn % 2).name()).toList());
        for (int i = 0; i < workers.size(); i++) {
            assertServedInOrder(stage, workers.get(i), waiters.get(i));
        }
    }

    /** Trap 39. Two applications hold what they need of a bulkhead with three permits. */
    @Scenario(value = "Redis is silent for five seconds, with a lease of 30 seconds, and no call needs a permit of another instance", expected = "no call is rejected or delayed")
    void sharesServeCallsDuringASilence(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        List<WorkerProcess> workers = stage.workers(2, proxy.url(),
                Map.of(Stage.LEASE_PROPERTY, "30s", "quarkus.redis-bulkhead.\"open\".keep-idle", "3s"));
        workers.get(0).load("open", "sync", 1, 20);
        workers.get(1).load("open", "uni", 1, 20);
        stage.awaitThat("both keep permits", () -> redis.keepers("open") == 2);
        stage.awaitEntries(100);
        stage.history().forgetRejections();

        stage.fault(proxy::blackHole);
        stage.faultLasts(Duration.ofSeconds(5));
        for (WorkerProcess worker : workers) {
            // None of them has another caller, so each call has returned before.
            long before = stage.history().entriesOf(worker.name());
            stage.awaitThat("calls of " + worker.name(), () -> stage.history().entriesOf(worker.name()) > before + 5);
        }
        assertThat(stage.history().rejections()).isEmpty();
        stage.repair(proxy::heal);
        stage.awaitEntries(20);
        assertThat(stage.history().rejections()).isEmpty();
    }

    /** Trap 22, Trap 39. */
    @Scenario(value = "restart without data, after 0.3 and 2 seconds, while callers wait", expected = "all are served, those of each instance in order")
    void waitersSurviveARestart(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(), WAITING);
        for (Duration down : List.of(Duration.ofMillis(300), Duration.ofSeconds(2))) {
            Held holder = workers.get(0).hold("single");
            stage.awaitThat("the holder", holder::isInside);
            List<List<Held>> waiters = queue(stage, redis, workers, 10);

            stage.dataLoss(redis, () -> {
                redis.kill();
                // The old permit must not overlap with new ones.
                holder.letLeave();
                stage.faultLasts(down);
                redis.start();
            });
            for (int i = 0; i < workers.size(); i++) {
                awaitServed(stage, waiters.get(i));
                assertServedInOrder(stage, workers.get(i), waiters.get(i));
            }
            assertThat(stage.history().entriesAboveLimit("single")).isZero();
        }
    }

    /** Trap 34. The delay makes connecting, loading the script and calling it together exceed the command timeout. */
    @Scenario(value = "100 concurrent first calls of a cold instance, over a slow network", expected = "no call is rejected")
    void coldApplication(Stage stage) {
        Proxy proxy = stage.proxy(stage.redis());
        stage.fault(() -> proxy.delay(stage.store() == Store.SCRIPT ? 250 : 20));
        for (int i = 0; i < Extent.of(1, 5); i++) {
            WorkerProcess cold = stage.workersWithoutRedis(1, proxy.url(), Load.with(WAITING, LONG_TURNS), Map.of()).get(0);
            List<Held> calls = IntStream.range(0, 100).mapToObj(key -> cold.pass("keyed", cold.name() + "k" + key)).toList();
            stage.awaitThat("the end of the calls", () -> calls.stream().allMatch(Held::isDone));
            assertThat(stage.history().rejections()).isEmpty();
        }
        stage.repair(proxy::heal);
    }

    /** Trap 34. */
    @Tag("long")
    @Scenario(value = "many concurrent first calls of cold instances, in a cluster", expected = "no call is rejected")
    void coldApplicationsInACluster(Stage stage) {
        ClusterGroup group = new ClusterGroup(stage);
        stage.fault(() -> {
            List<WorkerProcess> cold = stage.workersWithoutRedis(4, "none",
                    Load.with(WAITING, LONG_TURNS, group.configuration()), Map.of());
            List<Held> calls = cold.stream().flatMap(
                    worker -> IntStream.range(0, 25).mapToObj(key -> worker.pass("keyed", worker.name() + "k" + key))).toList();
            stage.awaitThat("the end of the calls", () -> calls.stream().allMatch(Held::isDone));
        });
        assertThat(stage.history().rejections()).isEmpty();
    }

    /** Trap 35. */
    @Scenario(value = "the subscription is half open while callers wait in a fair bulkhead", expected = "full speed again within three seconds")
    void missesMessages(Stage stage) {
        Proxy proxy = stage.proxy(stage.redis());
        stage.limit("fair", 2);
        List<WorkerProcess> workers = stage.workers(2, proxy.url(),
                Load.with(WAITING, Map.of("quarkus.redis-bulkhead.\"fair\".permits", "2")));
        workers.forEach(worker -> worker.load("fair", "sync", 3, 20).load("fair", "uni", 3, 20));
        stage.awaitEntries(100);
        Duration window = Duration.ofSeconds(1);
        long usual = entriesWithin(stage, window);

        stage.fault(proxy::halfOpenSubscriptions);
        // Hand-overs in flight must not count.
        stage.awaitEntries(2);
        stage.awaitRecovery("full speed, which is " + usual + " in a second", Duration.ofSeconds(3),
                () -> entriesWithin(stage, window) >= usual / 3);
        // The server still has the swallowed connections.
        proxy.cut();
        stage.awaitEntries(20);
    }

    private static long entriesWithin(Stage stage, Duration window) {
        long before = stage.history().entries();
        stage.passes(window);
        return stage.history().entries() - before;
    }

    /** Trap 47. The lease of a minute cannot be what frees the permits. */
    @Scenario(value = "planned failover: permits are released on the old master after the new one was promoted", expected = "they are free on the new master within three seconds")
    void releasesOnTheOldMaster(Stage stage) {
        RedisProcess old = stage.redis();
        RedisProcess promoted = stage.newRedis("--replicaof", "127.0.0.1", Integer.toString(old.port()),
                "--repl-diskless-sync-delay", "0").start();
        Proxy proxy = stage.proxy(old);
        WorkerProcess worker = stage
                .workers(1, proxy.url(), Load.with(WAITING_LONG, Map.of("quarkus.redis-bulkhead.command-timeout", "5s")))
                .get(0);
        List<Held> held = worker.hold("open", 3);
        stage.awaitThat("the permits on the replica", () -> promoted.permits("open") == held.size());

        stage.fault(() -> promoted.command("REPLICAOF", "NO", "ONE"));
        held.forEach(Held::leave);
        stage.awaitThat("the releases on the old master", () -> old.permits("open") == 0);
        assertThat(promoted.permits("open")).isEqualTo(held.size());
        stage.topology(() -> List.of(promoted));
        stage.repair(() -> {
            proxy.redirect(promoted);
            proxy.cut();
            old.kill();
        });
        Held next = worker.hold("open");
        stage.awaitRecovery("the next call is inside", Duration.ofSeconds(3), next::isInside);
        next.leave();
        assertThat(stage.history().rejections()).isEmpty();
    }

    /** Queues callers of {@code single} one by one, from each application in turn. */
    static List<List<Held>> queue(Stage stage, RedisProcess redis, List<WorkerProcess> workers, int each) {
        List<List<Held>> waiters = new ArrayList<>();
        workers.forEach(worker -> waiters.add(new ArrayList<>()));
        for (int i = 0; i < each * workers.size(); i++) {
            int number = i + 1;
            int turn = i % workers.size();
            waiters.get(turn).add(workers.get(turn).pass("single"));
            // An instance states at most thirty groups that have places, and one that has none yet.
            stage.awaitThat("waiter " + number, () -> redis.waiters("single") >= Math.min(number, 31)
                    && workers.get(0).waiting("single") == number);
        }
        return waiters;
    }

    private static void awaitServed(Stage stage, List<Held> waiters) {
        stage.awaitRecovery("the end of all waiters", Duration.ofSeconds(10), () -> waiters.stream().allMatch(Held::isDone));
    }

    private static void assertServedInOrder(Stage stage, WorkerProcess worker, List<Held> waiters) {
        assertThat(stage.history().rejections()).isEmpty();
        assertThat(worker.inOrderOfEntry(waiters)).isEqualTo(waiters);
    }
}
