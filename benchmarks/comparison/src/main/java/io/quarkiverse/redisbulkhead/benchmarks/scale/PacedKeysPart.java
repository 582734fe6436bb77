package io.quarkiverse.redisbulkhead.benchmarks.scale;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.Options;
import io.quarkiverse.redisbulkhead.benchmarks.Part;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedContender;
import io.quarkiverse.redisbulkhead.benchmarks.load.BlockingCrew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.load.RoundFigures;
import io.quarkiverse.redisbulkhead.benchmarks.load.Rounds;
import io.quarkiverse.redisbulkhead.benchmarks.load.Turns;

/**
 * Many keys, each of which is called now and then: more often than idle permits are returned, so that calls find one, or less
 * often, so that each call asks Redis.
 */
public final class PacedKeysPart implements Part {

    /** The start of the names of its figures. */
    public static final String ID = "paced-keys";

    /** How many keys there are. */
    public static final int KEYS = 10_000;

    /** The times between two calls of a key. */
    public static final List<Duration> PERIODS = List.of(Duration.ofMillis(500), Duration.ofSeconds(5));

    private static final int CALLERS = 64;

    // All keys are called at least once in the warm-up and twice in a round.
    private static final Rounds ROUNDS = new Rounds(3, Duration.ofSeconds(10), Duration.ofSeconds(7));

    private final int keys;

    /** With all keys. */
    public PacedKeysPart() {
        this(KEYS);
    }

    PacedKeysPart(int keys) {
        this.keys = keys;
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(BenchmarkEnvironment environment, Figures figures) throws Exception {
        for (Duration period : PERIODS) {
            Contender contender = GuardedContender.withKeysInTurn(environment, ID + "-" + period.toMillis(), keys);
            // One at a time: rounds that follow each other find the permits of the last one.
            try (Turns<Duration> turns = new Turns<>()) {
                turns.add(period, contender,
                        BlockingCrew.paced(contender, CALLERS, (int) (keys * 1_000L / period.toMillis())));
                RoundFigures measured = turns.measure(environment.redis(), Options.rounds(ROUNDS)).get(period);
                System.out.printf("%n%d keys, each every %s: %s%n", keys, period, measured.values());
                measured.putInto(figures, name(period));
            }
        }
    }

    /** The start of the names of the figures for a time between two calls of a key. */
    public static String name(Duration period) {
        return ID + "." + period.toMillis();
    }

    /** The name of a figure. */
    public static String name(Duration period, Measure measure) {
        return name(period) + "." + measure.id();
    }
}
