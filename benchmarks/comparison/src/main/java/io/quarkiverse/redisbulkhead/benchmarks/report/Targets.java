package io.quarkiverse.redisbulkhead.benchmarks.report;

import static io.quarkiverse.redisbulkhead.benchmarks.load.Measure.P50;
import static io.quarkiverse.redisbulkhead.benchmarks.load.Measure.PAIRS_PER_SECOND;
import static io.quarkiverse.redisbulkhead.benchmarks.load.Measure.REDIS_CPU;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;

/** What was to be reached, most of it as ratios within one run, and why some of it was not. */
final class Targets {

    private static final String REDISSON = " vs. Redisson";
    // A reason belongs to figures: it is written when they are there.
    private static final String UNKNOWN = "The reason is not known.";

    private final List<Figures> runs;
    private int met;
    private int measured;
    private final Table table = Table.ofTexts("what", "target", "measured", "verdict", "why it is missed");

    Targets(List<Figures> runs) {
        this.runs = runs;
    }

    String asciidoc() {
        atLeast(200, "one caller: pairs/s" + REDISSON, redisson(Load.ONE, PAIRS_PER_SECOND), UNKNOWN);
        row("one caller: p50", "≤1 µs", run -> run.number(Tables.name(Load.ONE, Kind.SCRIPT, P50)),
                micros -> Table.number(micros) + " µs", micros -> micros <= 1, UNKNOWN);
        atLeast(60, "64 callers: pairs/s" + REDISSON, redisson(Load.SIXTY_FOUR, PAIRS_PER_SECOND), UNKNOWN);
        atMost(0.01, "64 callers: Redis CPU" + REDISSON, redisson(Load.SIXTY_FOUR, REDIS_CPU), UNKNOWN);
        atLeast(50, "1,000 asynchronous callers: pairs/s" + REDISSON, redisson(Load.ASYNCHRONOUS, PAIRS_PER_SECOND), UNKNOWN);
        atLeast(8, "64 callers for 10 permits, `fair`: pairs/s" + REDISSON,
                ratio(Load.CONTENDED, PAIRS_PER_SECOND, Kind.SCRIPT_FAIR, Kind.REDISSON_EXPIRABLE), UNKNOWN);
        atLeast(0.8, "64 callers for 10 permits, `fair`: pairs/s vs. `local`, fair",
                ratio(Load.CONTENDED, PAIRS_PER_SECOND, Kind.SCRIPT_FAIR_CALLED, Kind.LOCAL_FAIR), UNKNOWN);
        atMost(0.01, "64 callers for 10 permits, `fair`: Redis CPU" + REDISSON,
                ratio(Load.CONTENDED, REDIS_CPU, Kind.SCRIPT_FAIR, Kind.REDISSON_EXPIRABLE), UNKNOWN);
        atMost(4, "two instances in turn on one permit, `keep-idle=5s`: p50 vs. p50 of a round trip",
                ratio(HandOverPart.IN_TURN + ".p50", HandOverPart.PACED_ROUND_TRIP + ".p50"),
                "Two messages and two syncs take four round trips; runs differ by a few percent.");
        atLeast(1, "one caller: rejections/s" + REDISSON, redisson(Load.FULL_ONE, PAIRS_PER_SECOND), UNKNOWN);
        atLeast(4, "64 callers: rejections/s" + REDISSON, redisson(Load.FULL, PAIRS_PER_SECOND), UNKNOWN);
        roundTrips(3, "p50", HandOverPart.NEXT_WAITER + ".p50",
                "Besides its messages, it needs the script of a sync, which takes about as long as a round trip.");
        roundTrips(6, "p99", HandOverPart.NEXT_WAITER + ".p99", UNKNOWN);
        return table.asciidoc() + "\n" + (measured == 0 ? "Not yet measured with the present engine.\n"
                : "%d of %d targets are met; the figures are %s.%n".formatted(met, measured, runs.size() == 1 ? "of one run"
                        : "medians of " + runs.size() + " runs, with the lowest and the highest"));
    }

    private void roundTrips(int most, String percentile, String figure, String reason) {
        atMost(most, "hand-over to another instance, " + percentile + " vs. p50 of a round trip",
                ratio(figure, HandOverPart.ROUND_TRIP + ".p50"), reason);
    }

    private void atLeast(double least, String what, Function<Figures, OptionalDouble> figure, String reason) {
        row(what, "≥" + number(least), figure, Targets::number, value -> value >= least, reason);
    }

    private void atMost(double most, String what, Function<Figures, OptionalDouble> figure, String reason) {
        row(what, "≤" + number(most), figure, Targets::number, value -> value <= most, reason);
    }

    private void row(String what, String bound, Function<Figures, OptionalDouble> figure, DoubleFunction<String> text,
            DoublePredicate target, String reason) {
        double[] values = runs.stream().map(figure).flatMapToDouble(OptionalDouble::stream).sorted().toArray();
        if (values.length == 0) {
            table.row(what, bound, "-", "not measured", "");
            return;
        }
        double median = Figures.median(values);
        boolean isMet = target.test(median);
        measured++;
        met += isMet ? 1 : 0;
        table.row(what, bound, Table.range(values, text), isMet ? "met" : "*missed*", isMet ? "" : reason);
    }

    private static String number(double value) {
        return (value >= 100 ? String.format(Locale.ROOT, "%,.0f", value)
                : value < 0.001 ? "<0.001"
                        : String.format(Locale.ROOT, "%.3g", value).replaceAll("(\\.\\d*?)0+$", "$1").replaceAll("\\.$", ""))
                + "×";
    }

    private static Function<Figures, OptionalDouble> redisson(Load load, Measure measure) {
        return ratio(load, measure, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE);
    }

    private static Function<Figures, OptionalDouble> ratio(Load load, Measure measure, Kind of, Kind against) {
        return ratio(Tables.name(load, of, measure), Tables.name(load, against, measure));
    }

    private static Function<Figures, OptionalDouble> ratio(String of, String against) {
        return run -> run.number(of).isPresent() && run.number(against).isPresent()
                ? OptionalDouble.of(run.number(of).getAsDouble() / run.number(against).getAsDouble())
                : OptionalDouble.empty();
    }
}
