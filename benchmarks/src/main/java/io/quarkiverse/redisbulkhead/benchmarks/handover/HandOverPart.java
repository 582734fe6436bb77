package io.quarkiverse.redisbulkhead.benchmarks.handover;

import java.util.List;

import org.HdrHistogram.Histogram;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.Part;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BlockingCaller;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnApplication;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnStore;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Surroundings;

/**
 * The time from the moment when one process begins to give a permit back until the thread that waits for it in another process
 * goes on; and, for comparison, that of a {@code PING} by a blocking caller on the same kind of connection, before and after.
 */
public final class HandOverPart implements Part {

    /** The start of the names of its figures. */
    public static final String ID = "hand-over";

    /** The start of the names of the figures of a round trip. */
    public static final String ROUND_TRIP = ID + ".round-trip";

    /** The start of the names of the figures of hand-overs. */
    public static final String NEXT_WAITER = ID + ".next-waiter";

    // Both processes begin cold.
    private static final int WARM_UP = 1_500;
    private static final int ROUNDS = 2_000;
    private static final int PINGS = 5_000;
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1_000;

    private final int warmUp;
    private final int rounds;

    /** As many hand-overs as a percentile wants. */
    public HandOverPart() {
        this(WARM_UP, ROUNDS);
    }

    HandOverPart(int warmUp, int rounds) {
        this.warmUp = warmUp;
        this.rounds = warmUp + rounds;
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(Surroundings surroundings, Figures figures) throws Exception {
        Histogram roundTrips = new Histogram(DIGITS);
        ping(surroundings, new Histogram(DIGITS));
        ping(surroundings, roundTrips);
        Histogram handOvers = handOvers(surroundings);
        ping(surroundings, roundTrips);
        put(figures, ROUND_TRIP, roundTrips);
        put(figures, NEXT_WAITER, handOvers);
        System.out.printf("%nround trip %.0f µs, p99 %.0f µs; hand-over %.0f µs, p99 %.0f µs%n",
                roundTrips.getValueAtPercentile(50) / NANOS_PER_MICRO, roundTrips.getValueAtPercentile(99) / NANOS_PER_MICRO,
                handOvers.getValueAtPercentile(50) / NANOS_PER_MICRO, handOvers.getValueAtPercentile(99) / NANOS_PER_MICRO);
    }

    private static void put(Figures figures, String name, Histogram nanos) {
        figures.put(name + ".p50", nanos.getValueAtPercentile(50) / NANOS_PER_MICRO);
        figures.put(name + ".p99", nanos.getValueAtPercentile(99) / NANOS_PER_MICRO);
        figures.put(name + ".count", nanos.getTotalCount());
    }

    // A pair is two of them, one after the other, with nothing in between but this clock.
    private static void ping(Surroundings surroundings, Histogram nanos) throws Exception {
        try (Contender pings = Kind.PINGS.open(surroundings, Limit.ample("ping"), 1);
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

    private Histogram handOvers(Surroundings surroundings) throws Exception {
        try (OwnApplication application = new OwnApplication(OwnStore.script(surroundings), surroundings.vertx());
                OtherProcess other = OtherProcess.start(surroundings.redis().port(), rounds)) {
            Relay here = new Relay(application);
            here.run(rounds, false);
            List<List<Long>> there = other.times();
            Histogram nanos = new Histogram(DIGITS);
            add(nanos, here.givenBack(), there.get(0));
            add(nanos, there.get(1), here.taken());
            return nanos;
        }
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
