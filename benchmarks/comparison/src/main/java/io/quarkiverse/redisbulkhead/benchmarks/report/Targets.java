package io.quarkiverse.redisbulkhead.benchmarks.report;

import static io.quarkiverse.redisbulkhead.benchmarks.load.Measure.PAIRS_PER_SECOND;
import static io.quarkiverse.redisbulkhead.benchmarks.load.Measure.REDIS_CPU;
import static io.quarkiverse.redisbulkhead.benchmarks.report.Target.Bound.AT_LEAST;
import static io.quarkiverse.redisbulkhead.benchmarks.report.Target.Bound.AT_MOST;

import java.util.List;
import java.util.OptionalDouble;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.scale.HeldPermits;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/** What was to be reached, all of them ratios within one run. */
final class Targets {

    private static final String TIMES = "×";

    private final Figures figures;

    Targets(Figures figures) {
        this.figures = figures;
    }

    String asciidoc() {
        Table table = Table.ofTexts("ratio", "target", "measured", "");
        all().forEach(target -> table.row(target.row()));
        return table.asciidoc();
    }

    private List<Target> all() {
        String redisson = " vs. Redisson";
        return List.of(
                new Target("one caller: pairs/s" + redisson, AT_LEAST, 2, TIMES,
                        ratio(Load.ONE, PAIRS_PER_SECOND, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE)),
                new Target("one caller: Redis CPU" + redisson, AT_MOST, 0.6, TIMES,
                        ratio(Load.ONE, REDIS_CPU, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE)),
                new Target("one caller: p50 vs. two ``PING``s on the same connection", AT_MOST,
                        0.65, TIMES, ratio(Load.ONE, Measure.P50, Kind.SCRIPT, Kind.PINGS)),
                new Target("one caller: p50 vs. two ``PING``s by a Jedis pool", AT_MOST, 0.8, TIMES,
                        ratio(Load.ONE, Measure.P50, Kind.SCRIPT, Kind.POOLED_PINGS)),
                new Target("64 callers: pairs/s" + redisson, AT_LEAST, 4.5, TIMES,
                        ratio(Load.SIXTY_FOUR, PAIRS_PER_SECOND, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE)),
                new Target("64 callers: Redis CPU" + redisson, AT_MOST, 0.11, TIMES,
                        ratio(Load.SIXTY_FOUR, REDIS_CPU, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE)),
                new Target("256 callers: pairs/s" + redisson, AT_LEAST, 5, TIMES,
                        ratio(Load.MANY, PAIRS_PER_SECOND, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE)),
                new Target("256 callers: Redis CPU" + redisson, AT_MOST, 0.08, TIMES,
                        ratio(Load.MANY, REDIS_CPU, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE)),
                new Target("1,000 asynchronous callers: pairs/s" + redisson, AT_LEAST, 12, TIMES,
                        ratio(Load.ASYNCHRONOUS, PAIRS_PER_SECOND, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE)),
                new Target("64 callers for 10 permits, `fair`: pairs/s" + redisson, AT_LEAST, 4, TIMES,
                        ratio(Load.CONTENDED, PAIRS_PER_SECOND, Kind.SCRIPT_FAIR, Kind.REDISSON_EXPIRABLE)),
                new Target("64 callers for 10 permits, `fair`: Redis CPU" + redisson, AT_MOST, 0.3, TIMES,
                        ratio(Load.CONTENDED, REDIS_CPU, Kind.SCRIPT_FAIR, Kind.REDISSON_EXPIRABLE)),
                new Target("64 callers: Redis CPU, `fair` vs. not fair", AT_MOST, 1.6, TIMES,
                        ratio(Load.SIXTY_FOUR, REDIS_CPU, Kind.SCRIPT_FAIR, Kind.SCRIPT)),
                new Target("pairs/s, 100,000 permits held vs. 10", AT_LEAST, 0.9, TIMES,
                        ratio(held(100_000), held(10))),
                roundTrips("the same process, p50", 1, HandOverPart.SAME_PROCESS + ".p50"),
                roundTrips("the same process, p99", 2, HandOverPart.SAME_PROCESS + ".p99"),
                roundTrips("another process, p50", 3, HandOverPart.NEXT_WAITER + ".p50"),
                roundTrips("another process, p99", 6, HandOverPart.NEXT_WAITER + ".p99"));
    }

    private Target roundTrips(String what, int most, String figure) {
        return new Target("hand-over in " + what + " vs. p50 of a round trip", AT_MOST, most, TIMES,
                ratio(figures.number(figure), figures.number(HandOverPart.ROUND_TRIP + ".p50")));
    }

    private OptionalDouble ratio(Load load, Measure measure, Kind of, Kind against) {
        return ratio(load(load, measure, of), load(load, measure, against));
    }

    private OptionalDouble load(Load load, Measure measure, Kind kind) {
        return figures.number(Tables.name(load, kind, measure));
    }

    private OptionalDouble held(int size) {
        return figures.number(ScalePart.name(new HeldPermits(), Kind.SCRIPT, size) + "." + PAIRS_PER_SECOND.id());
    }

    private static OptionalDouble ratio(OptionalDouble of, OptionalDouble against) {
        return of.isPresent() && against.isPresent() ? OptionalDouble.of(of.getAsDouble() / against.getAsDouble())
                : OptionalDouble.empty();
    }
}
