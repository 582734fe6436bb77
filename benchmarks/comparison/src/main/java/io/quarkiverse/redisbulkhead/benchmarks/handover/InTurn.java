package io.quarkiverse.redisbulkhead.benchmarks.handover;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.Histogram;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BlockingCaller;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnApplication;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnStore;

/**
 * Two instances call in turn, for one permit that each of them would keep: each call recalls it from the other instance.
 * Halfway between two calls there is a round trip, which finds caches and processors as idle as a call does.
 */
final class InTurn {

    static final String BULKHEAD = "in-turn";

    private static final SemaphoreSpec SPEC = SemaphoreSpec.named(BULKHEAD).permits(1).keepIdle(Duration.ofSeconds(5))
            .maxWait(Duration.ofMinutes(1)).build();

    private static final int DIGITS = 3;
    private static final Runnable NOTHING = () -> {
    };

    private final int warmUp;
    private final int turns;
    private final Duration pause;
    private final Histogram calls = new Histogram(DIGITS);
    private final Histogram roundTrips = new Histogram(DIGITS);

    /**
     * @param warmUp how many calls are made before, without a pause
     * @param turns how many calls are measured
     * @param pause the time from one call to the next one, which the other instance makes
     */
    InTurn(int warmUp, int turns, Duration pause) {
        this.warmUp = warmUp;
        this.turns = turns;
        this.pause = pause;
    }

    void run(BenchmarkEnvironment environment) throws Exception {
        try (OwnApplication one = new OwnApplication(OwnStore.script(environment), environment.vertx());
                OwnApplication other = new OwnApplication(OwnStore.script(environment), environment.vertx());
                Contender pings = Kind.PINGS.open(environment, Limit.ample("ping"), 1)) {
            BlockingCaller[] callers = { one.newBlockingCaller(one.semaphore(SPEC)),
                    other.newBlockingCaller(other.semaphore(SPEC)) };
            BlockingCaller ping = pings.newBlockingCaller();
            for (int turn = 0; turn < warmUp; turn++) {
                callers[turn % 2].pair(NOTHING);
                ping.pair(NOTHING);
            }
            for (int turn = 0; turn < turns; turn++) {
                LockSupport.parkNanos(pause.toNanos() / 2);
                long begun = System.nanoTime();
                ping.pair(() -> roundTrips.recordValue(System.nanoTime() - begun));
                LockSupport.parkNanos(pause.toNanos() / 2);
                long called = System.nanoTime();
                callers[turn % 2].pair(() -> calls.recordValue(System.nanoTime() - called));
            }
        }
    }

    /** From a call until its execution begins. */
    Histogram calls() {
        return calls;
    }

    /** From a {@code PING} until its answer. */
    Histogram roundTrips() {
        return roundTrips;
    }
}
