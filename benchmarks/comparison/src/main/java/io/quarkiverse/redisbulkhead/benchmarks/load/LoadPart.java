package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.Options;
import io.quarkiverse.redisbulkhead.benchmarks.Part;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Surroundings;

/** All contenders under the same loads. */
public final class LoadPart implements Part {

    /** The start of the names of its figures. */
    public static final String ID = "load";

    private static final List<Load> ORDER = List.of(Load.ONE, Load.SIXTY_FOUR, Load.MANY, Load.ASYNCHRONOUS, Load.CONTENDED);

    private static final Rounds ROUNDS = new Rounds(5, Duration.ofMillis(500), Duration.ofMillis(1_500));

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(Surroundings surroundings, Figures figures) throws Exception {
        Rounds rounds = Options.rounds(ROUNDS);
        letTheJvmCompile(surroundings, rounds);
        for (Load load : ORDER) {
            if (Options.wanted("loads", load.id())) {
                Map<Kind, RoundFigures> measured = compare(surroundings, load, rounds);
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
    private static void letTheJvmCompile(Surroundings surroundings, Rounds rounds) throws Exception {
        compare(surroundings, Load.SIXTY_FOUR, new Rounds(1, rounds.length(), rounds.warmUp().multipliedBy(3)));
    }

    private static Map<Kind, RoundFigures> compare(Surroundings surroundings, Load load, Rounds rounds) throws Exception {
        try (Turns<Kind> turns = new Turns<>()) {
            for (Kind kind : Kind.values()) {
                if (load.suits(kind) && Options.wanted("kinds", kind.id())) {
                    Contender contender = kind.open(surroundings, load.limit(kind), load.callers());
                    turns.add(kind, contender, load.crew(contender));
                }
            }
            return turns.measure(surroundings.redis(), rounds);
        }
    }
}
