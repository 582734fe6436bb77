package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.quarkiverse.redisbulkhead.faults.harness.Extent;
import io.quarkiverse.redisbulkhead.faults.harness.FakeClock;
import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Applications whose clocks are wrong. */
class ClientClocksTest {

    /** Trap 1. */
    @Scenario(value = "clocks of instances hours apart, and jumping", expected = "calls are not affected")
    void clocksAreWrong(Stage stage) {
        RedisProcess redis = stage.redis();
        FakeClock ahead = stage.fakeClock("+3h");
        FakeClock behind = stage.fakeClock("-2h");
        WorkerProcess honest = stage.workers(1, redis.url(), Load.PATIENT).get(0);
        WorkerProcess early = stage.workers(1, redis.url(), Load.PATIENT, ahead.environment()).get(0);
        WorkerProcess late = stage.workers(1, redis.url(), Load.PATIENT, behind.environment()).get(0);
        assertThatClockIsOffBy(early, Duration.ofHours(3));
        assertThatClockIsOffBy(late, Duration.ofHours(-2));

        List<WorkerProcess> all = List.of(honest, early, late);
        Held longOne = early.hold("open");
        stage.awaitInside("open", 1);
        all.forEach(worker -> worker.load("open", "sync", 2, 20).load("fair", "uni", 2, 20).load("single", "sync", 2, 5));
        for (String jump : Extent.isFull() ? List.of("-5h", "+7d", "+0", "-1h") : List.of("+7d", "-1h")) {
            stage.fault(() -> {
                ahead.jumpTo(jump);
                behind.jumpTo(jump);
            });
            stage.awaitEntries(Extent.of(100, 300));
        }
        stage.awaitThat("the last jump", () -> Duration.between(Instant.now(), early.facts().clock()).toMinutes() <= -59);
        longOne.leave();
        all.forEach(worker -> assertThat(worker.losses()).isEmpty());
    }

    private static void assertThatClockIsOffBy(WorkerProcess worker, Duration offset) {
        assertThat(Duration.between(Instant.now(), worker.facts().clock())).isCloseTo(offset, Duration.ofMinutes(1));
    }
}
