package io.quarkiverse.redisbulkhead.benchmarks.scale;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.Options;
import io.quarkiverse.redisbulkhead.benchmarks.Part;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.RoundFigures;
import io.quarkiverse.redisbulkhead.benchmarks.load.Rounds;
import io.quarkiverse.redisbulkhead.benchmarks.load.Turns;

/** The cost of a pair when there is more of something. For each contender all sizes take turns. */
public final class ScalePart implements Part {

    /** The start of the names of its figures. */
    public static final String ID = "scale";

    /** Of what there is more and more. */
    public static final List<Growth> GROWTHS = List.of(new HeldPermits(), new Keys(), new Waiters());

    private static final Rounds ROUNDS = new Rounds(3, Duration.ofMillis(300), Duration.ofMillis(200));

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(BenchmarkEnvironment environment, Figures figures) throws Exception {
        for (Growth growth : GROWTHS) {
            for (Kind kind : growth.kinds()) {
                if (Options.wanted("growths", growth.id()) && Options.wanted("kinds", kind.id())) {
                    Map<Integer, RoundFigures> measured = measure(environment, growth, kind);
                    RoundFigures.print(growth.id() + " " + kind.id(), measured, size -> Integer.toString(size));
                    measured.forEach((size, round) -> round.putInto(figures, name(growth, kind, size)));
                }
            }
        }
    }

    private static Map<Integer, RoundFigures> measure(BenchmarkEnvironment environment, Growth growth, Kind kind)
            throws Exception {
        try (Turns<Integer> turns = new Turns<>()) {
            for (int size : growth.sizes(kind)) {
                growth.add(turns, environment, kind, size);
            }
            return turns.measure(environment.redis(), Options.rounds(ROUNDS));
        }
    }

    /** The start of the names of the figures of a contender at one size. */
    public static String name(Growth growth, Kind kind, int size) {
        return String.join(".", ID, growth.id(), kind.id(), Integer.toString(size));
    }
}
