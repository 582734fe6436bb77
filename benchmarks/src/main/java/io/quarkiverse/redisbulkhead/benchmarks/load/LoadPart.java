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
    private static final String ID = "load";

    // The first one also lets the JVM compile, for which one caller is too slow.
    private static final List<Load> ORDER = List.of(Load.SIXTY_FOUR, Load.ONE, Load.MANY, Load.ASYNCHRONOUS, Load.CONTENDED);

    private static final Rounds ROUNDS = new Rounds(5, Duration.ofMillis(500), Duration.ofMillis(700));

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(Surroundings surroundings, Figures figures) throws Exception {
        for (Load load : ORDER) {
            if (Options.wanted("loads", load.id())) {
                Map<Kind, RoundFigures> measured = compare(surroundings, load);
                FiguresOnConsole.print(load.title(), measured, Kind::id);
                measured.forEach((kind, round) -> round.putInto(figures, name(load, kind)));
            }
        }
    }

    /** What the names of the figures of a contender under a load start with. */
    public static String name(Load load, Kind kind) {
        return String.join(".", ID, load.id(), kind.id());
    }

    private static Map<Kind, RoundFigures> compare(Surroundings surroundings, Load load) throws Exception {
        try (Turns<Kind> turns = new Turns<>()) {
            for (Kind kind : Kind.values()) {
                if (load.suits(kind) && Options.wanted("kinds", kind.id())) {
                    Contender contender = kind.open(surroundings, load.limit(kind), load.callers());
                    turns.add(kind, contender, load.crew(contender));
                }
            }
            return turns.measure(surroundings.redis(), Options.rounds(ROUNDS));
        }
    }
}
