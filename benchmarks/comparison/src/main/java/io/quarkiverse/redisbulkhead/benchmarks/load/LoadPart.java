package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.Options;
import io.quarkiverse.redisbulkhead.benchmarks.Part;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;

/** All contenders under the same loads. */
public final class LoadPart implements Part {

    /** The start of the names of its figures. */
    public static final String ID = "load";

    private static final List<Load> ORDER = List.of(Load.ONE, Load.SIXTY_FOUR, Load.MANY, Load.ASYNCHRONOUS, Load.CONTENDED,
            Load.FULL_ONE, Load.FULL);

    private static final Rounds ROUNDS = new Rounds(5, Duration.ofMillis(500), Duration.ofMillis(1_500));

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(BenchmarkEnvironment environment, Figures figures) throws Exception {
        Rounds rounds = Options.rounds(ROUNDS);
        letTheJvmCompile(environment, rounds);
        for (Load load : ORDER) {
            if (Options.wanted("loads", load.id())) {
                Map<Kind, RoundFigures> measured = compare(environment, load, rounds);
                RoundFigures.print(load.title(), measured, Kind::id);
                measured.forEach((kind, round) -> round.putInto(figures, name(load, kind)));
            }
        }
    }

    /** What the names of the figures of a contender under a load start with. */
    public static String name(Load load, Kind kind) {
        return String.join(".", ID, load.id(), kind.id());
    }

    // Else the first load would be that of contenders, and of callers, that are half compiled. One caller is too slow for it.
    private static void letTheJvmCompile(BenchmarkEnvironment environment, Rounds rounds) throws Exception {
        compare(environment, Load.SIXTY_FOUR, new Rounds(1, rounds.length(), rounds.warmUp().multipliedBy(3)));
    }

    private static Map<Kind, RoundFigures> compare(BenchmarkEnvironment environment, Load load, Rounds rounds)
            throws Exception {
        try (Turns<Kind> turns = new Turns<>()) {
            for (Kind kind : Kind.values()) {
                if (load.suits(kind) && Options.wanted("kinds", kind.id())) {
                    Contender contender = kind.open(environment, load.limit(kind), load.callers());
                    turns.add(kind, contender, load.crew(contender));
                    if (load.isFull()) {
                        contender.hold(Limit.TIGHT);
                    }
                }
            }
            return turns.measure(environment.redis(), rounds);
        }
    }
}
