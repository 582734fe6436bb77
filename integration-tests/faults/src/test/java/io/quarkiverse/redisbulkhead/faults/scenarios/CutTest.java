package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.Operations;
import io.quarkiverse.redisbulkhead.faults.harness.Proxy;
import io.quarkiverse.redisbulkhead.faults.harness.Proxy.Cut;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** The connection closes during an operation: before and after the server has received it. */
@Tag("long")
class CutTest {

    private static final int ROUNDS = 5;
    // On a busy machine, several reconnections may take seconds.
    private static final Duration LONG_LEASE = Stage.LEASE.multipliedBy(3);
    private static final Duration AT_ONCE = Duration.ofSeconds(2);

    /** Trap 4. */
    @Scenario(value = "connection cut during an acquire, before and after Redis receives it", expected = "the call gets one permit over the next connection")
    void duringAcquire(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        WorkerProcess worker = warm(stage, redis, proxy);

        for (int i = 0; i < ROUNDS; i++) {
            for (Cut cut : Cut.values()) {
                long before = proxy.cuts();
                stage.fault(() -> proxy.cutOnceAt(Operations.ACQUIRE.in(stage.store()), cut));
                Held held = worker.hold("open");
                stage.awaitRecovery("the call is inside", AT_ONCE, () -> stage.inside(worker) == 1);
                assertThat(proxy.cuts()).isEqualTo(before + 1);
                assertThat(redis.permits("open")).isEqualTo(1);
                held.leave();
                stage.awaitRecovery("the permit is free", AT_ONCE, () -> redis.permits("open") == 0);
            }
        }
        assertThat(stage.history().rejections()).isEmpty();
    }

    /** Trap 5. */
    @Scenario(value = "connection cut during a release, before and after Redis receives it", expected = "the call returns immediately; the permit is free after the reconnect; no loss is reported")
    void duringRelease(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        WorkerProcess worker = warm(stage, redis, proxy);

        for (int i = 0; i < ROUNDS; i++) {
            for (Cut cut : Cut.values()) {
                long before = proxy.cuts();
                Held held = worker.hold("open");
                stage.awaitInside("open", 1);
                stage.fault(() -> proxy.cutOnceAt(Operations.RELEASE.in(stage.store()), cut));
                // The call does not wait for its release.
                held.leave();
                stage.awaitThat("a release that is cut", () -> proxy.cuts() == before + 1);
                stage.awaitRecovery("the permit is free", AT_ONCE, () -> redis.permits("open") == 0);
            }
        }
        assertThat(worker.losses()).isEmpty();
        assertThat(stage.history().rejections()).isEmpty();
    }

    /** Trap 6. */
    @Scenario(value = "connection cut during a renewal, before and after Redis receives it", expected = "the holder keeps its permit")
    void duringRenewal(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        WorkerProcess worker = stage.workers(1, proxy.url(), Map.of("worker.lease", LONG_LEASE.toSeconds() + "s")).get(0);
        warmUp(stage, redis, worker);
        Held held = worker.hold("open");
        stage.awaitInside("open", 1);
        Predicate<String> renewal = Operations.RENEW.in(stage.store());

        for (int i = 0; i < 2; i++) {
            for (Cut cut : Cut.values()) {
                long before = proxy.cuts();
                stage.fault(() -> proxy.cutOnceAt(renewal, cut));
                stage.awaitThat("a renewal that is cut", () -> proxy.cuts() == before + 1);
            }
        }
        stage.faultLasts(LONG_LEASE);
        assertThat(redis.permits("open")).isEqualTo(1);
        held.leave();
        assertThat(worker.losses()).isEmpty();
    }

    /** Trap 4. The lease is long, so it is not the lease that frees the permit. */
    @Scenario(value = "connection cut after each acquire that Redis receives, until the caller gives up", expected = "calls are rejected; permits that Redis granted nevertheless are released long before their leases end")
    void atEachAcquire(Stage stage) {
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        WorkerProcess worker = stage.workers(1, proxy.url(), Map.of(Stage.LEASE_PROPERTY, "60s")).get(0);
        warmUp(stage, redis, worker);

        proxy.cutAt(Operations.ACQUIRE.in(stage.store()), Cut.AFTER);
        for (int i = 0; i < 3; i++) {
            worker.hold("open").awaitDone();
            assertThat(stage.history().rejections().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(i + 1);
            // The server replies to all but the last command of a step of the lock store, but carries none out.
            assertThat(stage.history().rejections()).containsOnlyKeys("open unavailable");
        }
        stage.countFaults(proxy.cuts());
        stage.repair(proxy::heal);
        stage.awaitRecovery("nothing is held", Duration.ofSeconds(10), () -> redis.permits("open") == 0);
    }

    /** Trap 4, Trap 5. */
    @Scenario(value = "connection cut repeatedly under load", expected = "no call is rejected; only fresh offers may be lost")
    void underLoad(Stage stage) {
        stage.permitsMayBeLost();
        RedisProcess redis = stage.redis();
        Proxy proxy = stage.proxy(redis);
        Load load = Load.startPatient(stage, proxy.url());

        // Under load, each statement asks for permits; most return some as well.
        for (int i = 0; i < 20; i++) {
            for (Cut cut : Cut.values()) {
                long before = proxy.cuts();
                stage.fault(() -> proxy.cutOnceAt(Operations.ACQUIRE.in(stage.store()), cut));
                stage.awaitThat("an operation that is cut", () -> proxy.cuts() == before + 1);
                stage.awaitEntries(5);
            }
        }
        load.awaitRecovery(AT_ONCE);
        load.assertOnlyOffersLost();
        load.assertNoRejections();
    }

    private static WorkerProcess warm(Stage stage, RedisProcess redis, Proxy proxy) {
        WorkerProcess worker = stage.workers(1, proxy.url(), Load.PATIENT).get(0);
        warmUp(stage, redis, worker);
        return worker;
    }

    private static void warmUp(Stage stage, RedisProcess redis, WorkerProcess worker) {
        worker.hold("open").leave();
        // An idle permit would serve the next call.
        stage.awaitThat("no idle permit", () -> redis.permits("open") == 0);
        stage.history().forgetRejections();
    }
}
