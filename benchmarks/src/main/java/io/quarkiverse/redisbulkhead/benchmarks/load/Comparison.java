package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Surroundings;

/**
 * Puts several contenders under the same load, in turns of short rounds, so that whatever else the machine does meets all of
 * them. Each round begins with another contender.
 */
public final class Comparison {

    private final Surroundings surroundings;
    private final Rounds rounds;

    /**
     * @param surroundings what all contenders run in
     * @param rounds how many there are and how long
     */
    public Comparison(Surroundings surroundings, Rounds rounds) {
        this.surroundings = surroundings;
        this.rounds = rounds;
    }

    /** A contender with its callers. */
    private record Entrant(Kind kind, Contender contender, Crew crew) {

        private void close() {
            crew.close();
            contender.close();
        }
    }

    /**
     * Compares.
     *
     * @return the median of all rounds, for each contender that the load suits
     */
    public Map<Kind, RoundFigures> run(Load load, List<Kind> kinds) throws InterruptedException {
        List<Entrant> entrants = new ArrayList<>();
        try (Meter meter = new Meter(surroundings.redis().connect())) {
            for (Kind kind : kinds) {
                if (load.suits(kind)) {
                    Contender contender = kind.open(surroundings, load.limit(kind), load.callers());
                    entrants.add(new Entrant(kind, contender, load.crew(contender)));
                }
            }
            for (Entrant entrant : entrants) {
                entrant.crew().work(rounds.warmUp());
            }
            return inTurns(entrants, meter);
        } finally {
            entrants.forEach(Entrant::close);
        }
    }

    private Map<Kind, RoundFigures> inTurns(List<Entrant> entrants, Meter meter) throws InterruptedException {
        Map<Kind, List<RoundFigures>> all = new EnumMap<>(Kind.class);
        for (int round = 0; round < rounds.number(); round++) {
            for (int turn = 0; turn < entrants.size(); turn++) {
                Entrant entrant = entrants.get((round + turn) % entrants.size());
                System.gc();
                all.computeIfAbsent(entrant.kind(), kind -> new ArrayList<>())
                        .add(meter.measure(entrant.crew(), rounds.length()));
            }
        }
        Map<Kind, RoundFigures> medians = new EnumMap<>(Kind.class);
        all.forEach((kind, each) -> medians.put(kind, RoundFigures.median(each)));
        return medians;
    }

    /**
     * How long is measured.
     *
     * @param number of rounds
     * @param length of each
     * @param warmUp before the first of them, for each contender
     */
    public record Rounds(int number, Duration length, Duration warmUp) {
    }
}
