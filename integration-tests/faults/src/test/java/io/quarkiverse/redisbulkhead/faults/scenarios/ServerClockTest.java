package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.FakeClock;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** The server's clock steps, for example when it is set manually or the machine resumes from a snapshot. Trap 1. */
@Tag("long")
class ServerClockTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration RENEWAL = Stage.LEASE.dividedBy(3);

    @Scenario(value = "the server's clock steps back by an hour", expected = "holders keep their permits; permits of processes killed before or after the step are free within one lease")
    void stepsBack(Stage stage) {
        FakeClock clock = stage.fakeClock("+0");
        RedisProcess redis = start(stage, clock);
        Load load = Load.start(stage, redis.url());
        WorkerProcess victim = stage.worker(redis.url());
        victim.hold("open");
        stage.awaitThat("a permit to lose", () -> stage.inside(victim) == 1);
        WorkerProcess second = stage.worker(redis.url());
        second.hold("fair");
        stage.awaitThat("another permit to lose", () -> stage.inside(second) == 1);

        stage.fault(() -> {
            victim.kill();
            step(redis, clock, HOUR.negated());
        });
        load.awaitRecovery(Stage.LEASE);
        stage.fault(second::kill);
        load.awaitRecovery(Stage.LEASE);
        load.assertNothingLost();
    }

    @Scenario(value = "the server's clock steps forward by an hour", expected = "all leases end together; instances claim their permits again, unless others have got them; those learn of the loss within a third of a lease")
    void stepsForward(Stage stage) {
        FakeClock clock = stage.fakeClock("+0");
        RedisProcess redis = start(stage, clock);
        Load load = Load.start(stage, redis.url());

        stage.dataLoss(redis, () -> step(redis, clock, HOUR));
        load.awaitRecovery(RENEWAL);
        load.leave();
    }

    private static RedisProcess start(Stage stage, FakeClock clock) {
        clock.assumeThatRedisRunsWithIt();
        RedisProcess redis = stage.newRedis().withEnvironment(clock.environment()).start();
        stage.topology(() -> List.of(redis));
        return redis;
    }

    /** Returns when the step has taken effect. */
    private static void step(RedisProcess redis, FakeClock clock, Duration by) {
        clock.jumpTo((by.isNegative() ? "" : "+") + by.toSeconds());
        Duration half = by.abs().dividedBy(2);
        await("a clock that has stepped").atMost(Duration.ofSeconds(10)).until(() -> {
            long off = redis.micros() / 1_000 - System.currentTimeMillis();
            return Math.abs(off) > half.toMillis();
        });
    }
}
