package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.Store;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Redis restarts, pauses, closes connections, or loses data. */
@Tag("long")
class RedisServerTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    private static final Duration GRACE = Duration.ofSeconds(2);
    // How often shares are renewed.
    private static final Duration RENEWAL = Stage.LEASE.dividedBy(3);

    @Scenario(value = "restart with persistence", expected = "permits survive")
    void restartsWithItsData(Stage stage) {
        RedisProcess redis = stage.redis("--appendonly", "yes", "--appendfsync", "always");
        Load load = Load.startWithLongLease(stage, redis.url());

        stage.newRun(redis, () -> restart(redis));
        load.awaitRecovery(GRACE);
        load.assertNothingLost();
    }

    /** Trap 22, Trap 20. */
    @Scenario(value = "restart without persistence", expected = "holders claim their permits; the server grants none before that, for two seconds; nothing is lost")
    void restartsWithoutItsData(Stage stage) {
        RedisProcess redis = stage.redis();
        Load load = Load.startWithLongLease(stage, redis.url());

        stage.newRun(redis, () -> restart(redis));
        load.awaitRecovery(GRACE);
        load.assertNothingLost();
    }

    private static void restart(RedisProcess redis) {
        redis.kill();
        redis.start();
    }

    @Scenario(value = "DEBUG SLEEP for less than command-timeout", expected = "calls wait; none is rejected")
    void pausesBriefly(Stage stage) {
        RedisProcess redis = stage.redis();
        Load load = Load.startPatient(stage, redis.url());

        for (int i = 0; i < 5; i++) {
            stage.fault(() -> redis.command("DEBUG", "SLEEP", "0.5"));
            load.awaitRecovery(AT_ONCE);
        }
        load.assertNothingLost();
        load.assertNoRejections();
    }

    /** Trap 6. */
    @Scenario(value = "DEBUG SLEEP for longer than command-timeout, but less than the rest of a lease", expected = "new calls are rejected; waiting callers keep waiting; only fresh offers may be lost")
    void pausesLongerThanTheCommandTimeout(Stage stage) {
        pausesForFiveSeconds(stage, redis -> redis.command("DEBUG", "SLEEP", "5"));
    }

    @Scenario(value = "DEBUG SLEEP for longer than a lease", expected = "holders learn of the loss before Redis wakes")
    void pausesLongerThanALease(Stage stage) {
        stage.permitsMayBeLost();
        RedisProcess redis = stage.redis();
        Load load = Load.start(stage, redis.url());

        stage.fault(() -> {
            redis.command("DEBUG", "SLEEP", Long.toString(Stage.LEASE.toSeconds() + 2));
            assertThat(load.holder().losses()).isNotEmpty();
        });
        load.awaitRecovery(AT_ONCE);
        load.assertHolderLost();
    }

    /** Trap 4. */
    @Scenario(value = "CLIENT KILL TYPE normal, repeatedly", expected = "no call is rejected")
    void closesConnections(Stage stage) {
        isHarmless(stage, 20, 10, "CLIENT", "KILL", "TYPE", "normal");
    }

    /** Trap 11. */
    @Scenario(value = "CLIENT KILL TYPE pubsub, repeatedly", expected = "no call is rejected; waiters miss nothing")
    void closesSubscriptions(Stage stage) {
        isHarmless(stage, 20, 10, "CLIENT", "KILL", "TYPE", "pubsub");
    }

    @Scenario(value = "CLIENT PAUSE ALL for longer than command-timeout", expected = "new calls are rejected; waiting callers keep waiting; only fresh offers may be lost")
    void pausesAllCommands(Stage stage) {
        pausesForFiveSeconds(stage, redis -> {
            redis.command("CLIENT", "PAUSE", "5000", "ALL");
            redis.command("PING");
        });
    }

    @Scenario(value = "CLIENT PAUSE WRITE for longer than a lease", expected = "calls are rejected; holders learn of the loss")
    void pausesWrites(Stage stage) {
        stage.permitsMayBeLost();
        RedisProcess redis = stage.redis();
        Load load = Load.start(stage, redis.url());

        stage.fault(() -> redis.command("CLIENT", "PAUSE", "60000", "WRITE"));
        load.awaitUnavailable();
        stage.awaitThat("the loss is told", () -> !load.holder().losses().isEmpty());
        stage.repair(() -> redis.command("CLIENT", "UNPAUSE"));
        load.awaitRecovery(AT_ONCE);
        load.assertHolderLost();
    }

    /** Trap 22. */
    @Scenario(value = "SCRIPT FLUSH, repeatedly", expected = "calls are not affected", stores = Store.SCRIPT)
    void losesScripts(Stage stage) {
        isHarmless(stage, 30, 5, "SCRIPT", "FLUSH");
    }

    @Scenario(value = "FLUSHALL, repeatedly", expected = "instances claim their permits again, unless others have got them; those learn of the loss within a third of a lease")
    void losesAllData(Stage stage) {
        RedisProcess redis = stage.redis();
        Load load = Load.start(stage, redis.url());

        for (int i = 0; i < 10; i++) {
            stage.dataLoss(redis, () -> redis.command("FLUSHALL"));
            stage.awaitEntries(20);
        }
        load.awaitRecovery(RENEWAL);
        load.leave();
    }

    private static void isHarmless(Stage stage, int times, int entries, String... command) {
        RedisProcess redis = stage.redis();
        Load load = Load.startPatient(stage, redis.url());
        for (int i = 0; i < times; i++) {
            stage.fault(() -> redis.command(command));
            stage.awaitEntries(entries);
        }
        load.awaitRecovery(AT_ONCE);
        load.assertNothingLost();
        load.assertNoRejections();
    }

    private static void pausesForFiveSeconds(Stage stage, Consumer<RedisProcess> pause) {
        stage.permitsMayBeLost();
        RedisProcess redis = stage.redis();
        Load load = Load.startWithLongLease(stage, redis.url());
        stage.fault(() -> pause.accept(redis));
        load.awaitRecovery(AT_ONCE);
        load.assertOnlyOffersLost();
        assertThat(stage.history().unavailable("open")).isPositive();
    }
}
