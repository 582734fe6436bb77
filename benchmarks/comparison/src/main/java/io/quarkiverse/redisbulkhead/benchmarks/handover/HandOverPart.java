package io.quarkiverse.redisbulkhead.benchmarks.handover;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;

import org.HdrHistogram.Histogram;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.Part;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BlockingCaller;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnApplication;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnStore;
import io.quarkiverse.redisbulkhead.benchmarks.process.OtherProcess;
import redis.clients.jedis.Jedis;

/**
 * The time from the moment when a thread begins to release a permit until the thread that waits for it goes on, in the same
 * process and in another one; and, for comparison, that of a {@code PING} by a blocking caller on the same kind of connection,
 * before and after.
 */
public final class HandOverPart implements Part {

    /** The start of the names of its figures. */
    public static final String ID = "hand-over";

    /** The start of the names of the figures of a round trip. */
    public static final String ROUND_TRIP = ID + ".round-trip";

    /** The start of the names of the figures of hand-overs to another process. */
    public static final String NEXT_WAITER = ID + ".next-waiter";

    /** The start of the names of the figures of hand-overs within a process. */
    public static final String SAME_PROCESS = ID + ".same-process";

    /** The start of the names of the figures of a round trip between two calls in turn. */
    public static final String PACED_ROUND_TRIP = ID + ".paced-round-trip";

    /** The start of the names of the figures of calls of two instances in turn. */
    public static final String IN_TURN = ID + ".in-turn";

    // Both processes begin cold.
    private static final int WARM_UP = 1_500;
    private static final int ROUNDS = 2_000;
    private static final int WARM_UP_TURNS = 3_000;
    private static final int TURNS = 40;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int PINGS = 5_000;
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1_000;

    private final int warmUp;
    private final int rounds;
    private final int warmUpTurns;
    private final int turns;
    private final Duration pause;

    /** As many hand-overs as a percentile wants. */
    public HandOverPart() {
        this(WARM_UP, ROUNDS, WARM_UP_TURNS, TURNS, PAUSE);
    }

    HandOverPart(int warmUp, int rounds, int warmUpTurns, int turns, Duration pause) {
        this.warmUp = warmUp;
        this.rounds = warmUp + rounds;
        this.warmUpTurns = warmUpTurns;
        this.turns = turns;
        this.pause = pause;
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(BenchmarkEnvironment environment, Figures figures) throws Exception {
        Histogram roundTrips = new Histogram(DIGITS);
        ping(environment, new Histogram(DIGITS));
        ping(environment, roundTrips);
        Histogram within = withinProcess(environment);
        Histogram between = betweenProcesses(environment);
        ping(environment, roundTrips);
        InTurn inTurn = new InTurn(warmUpTurns, turns, pause);
        inTurn.run(environment);
        try (Jedis jedis = environment.redis().connect()) {
            jedis.unlink(jedis.keys("*{" + Relay.BULKHEAD + "}*").toArray(String[]::new));
            jedis.unlink(jedis.keys("*{" + InTurn.BULKHEAD + "}*").toArray(String[]::new));
        }
        System.out.println();
        put(figures, ROUND_TRIP, roundTrips);
        put(figures, SAME_PROCESS, within);
        put(figures, NEXT_WAITER, between);
        put(figures, PACED_ROUND_TRIP, inTurn.roundTrips());
        put(figures, IN_TURN, inTurn.calls());
    }

    private static void put(Figures figures, String name, Histogram nanos) {
        System.out.printf("%s %.0f µs, p99 %.0f µs%n", name, nanos.getValueAtPercentile(50) / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(99) / NANOS_PER_MICRO);
        figures.put(name + ".p50", nanos.getValueAtPercentile(50) / NANOS_PER_MICRO);
        figures.put(name + ".p99", nanos.getValueAtPercentile(99) / NANOS_PER_MICRO);
        figures.put(name + ".count", nanos.getTotalCount());
    }

    // A pair is two of them, one after the other, with nothing in between but this clock.
    private static void ping(BenchmarkEnvironment environment, Histogram nanos) throws Exception {
        try (Contender pings = Kind.PINGS.open(environment, Limit.ample("ping"), 1);
                BlockingCaller caller = pings.newBlockingCaller()) {
            long[] begun = new long[1];
            for (int ping = 0; ping < PINGS; ping++) {
                begun[0] = System.nanoTime();
                caller.pair(() -> {
                    long now = System.nanoTime();
                    nanos.recordValue(now - begun[0]);
                    begun[0] = now;
                });
                nanos.recordValue(System.nanoTime() - begun[0]);
            }
        }
    }

    private Histogram withinProcess(BenchmarkEnvironment environment) throws Exception {
        try (OwnApplication application = new OwnApplication(OwnStore.script(environment), environment.vertx())) {
            Relay one = new Relay(application);
            Relay other = new Relay(application);
            FutureTask<Void> running = new FutureTask<>(() -> {
                other.run(rounds, true);
                return null;
            });
            one.begin();
            new Thread(running, "other runner").start();
            one.run(rounds, false);
            running.get();
            return times(one, other.taken(), other.givenBack());
        }
    }

    private Histogram betweenProcesses(BenchmarkEnvironment environment) throws Exception {
        try (OwnApplication application = new OwnApplication(OwnStore.script(environment), environment.vertx())) {
            Relay here = new Relay(application);
            here.begin();
            try (OtherProcess other = OtherRelay.start(environment, rounds)) {
                here.run(rounds, false);
                return times(here, OtherRelay.times(other), OtherRelay.times(other));
            }
        }
    }

    private Histogram times(Relay one, List<Long> otherTook, List<Long> otherGaveBack) {
        Histogram nanos = new Histogram(DIGITS);
        add(nanos, one.givenBack(), otherTook);
        add(nanos, otherGaveBack, one.taken());
        return nanos;
    }

    private void add(Histogram nanos, List<Long> givenBack, List<Long> taken) {
        int next = 0;
        for (int round = warmUp; round < givenBack.size(); round++) {
            while (next < taken.size() && taken.get(next) < givenBack.get(round)) {
                next++;
            }
            if (next < taken.size()) {
                nanos.recordValue(taken.get(next) - givenBack.get(round));
            }
        }
    }
}
