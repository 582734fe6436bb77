package io.quarkiverse.redisbulkhead.benchmarks.report;

import static io.quarkiverse.redisbulkhead.benchmarks.load.Measure.P50;
import static io.quarkiverse.redisbulkhead.benchmarks.load.Measure.PAIRS_PER_SECOND;
import static io.quarkiverse.redisbulkhead.benchmarks.load.Measure.REDIS_CPU;

import java.util.Locale;
import java.util.OptionalDouble;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.scale.HeldPermits;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/** What was to be reached, all of them ratios within one run, and why some of it was not. */
final class Targets {

    private static final String REDISSON = " vs. Redisson";
    private static final String PER_PERMIT = "Batches save commands, but each permit's record still has to be parsed, written and"
            + " removed.";
    private static final String WAKING = "The waiting thread is woken after the round trip, on cores that Redis needs as well.";
    private static final String TWO_WAKINGS = "A release, a message, and two processes to wake, on cores that Redis needs as"
            + " well.";

    private final Figures figures;
    private final Table table = Table.ofTexts("ratio", "target", "measured", "", "why it is missed");

    Targets(Figures figures) {
        this.figures = figures;
    }

    String asciidoc() {
        atLeast(2, "one caller: pairs/s" + REDISSON, redisson(Load.ONE, PAIRS_PER_SECOND),
                "One of two round trips is saved. On loopback, the script and waking threads take most of the other.");
        atMost(0.6, "one caller: Redis CPU" + REDISSON, redisson(Load.ONE, REDIS_CPU),
                "There is nothing to batch, and Redis sleeps between the calls.");
        atMost(0.65, "one caller: p50 vs. two ``PING``s on the same connection", ratio(Load.ONE, P50, Kind.SCRIPT, Kind.PINGS),
                "The one round trip has a script in it.");
        atMost(0.8, "one caller: p50 vs. two ``PING``s by a Jedis pool", ratio(Load.ONE, P50, Kind.SCRIPT, Kind.POOLED_PINGS),
                "Jedis reads on the calling thread. Here an event loop reads, and wakes the caller.");
        atLeast(4.5, "64 callers: pairs/s" + REDISSON, redisson(Load.SIXTY_FOUR, PAIRS_PER_SECOND),
                "The kernel parks and wakes each caller.");
        atMost(0.11, "64 callers: Redis CPU" + REDISSON, redisson(Load.SIXTY_FOUR, REDIS_CPU), PER_PERMIT);
        atLeast(5, "256 callers: pairs/s" + REDISSON, redisson(Load.MANY, PAIRS_PER_SECOND),
                "The kernel parks and wakes each caller.");
        atMost(0.08, "256 callers: Redis CPU" + REDISSON, redisson(Load.MANY, REDIS_CPU), PER_PERMIT);
        atLeast(12, "1,000 asynchronous callers: pairs/s" + REDISSON, redisson(Load.ASYNCHRONOUS, PAIRS_PER_SECOND),
                "Redis and the event loop of the connection keep a core each busy, and the machine has two.");
        atLeast(4, "64 callers for 10 permits, `fair`: pairs/s" + REDISSON,
                ratio(Load.CONTENDED, PAIRS_PER_SECOND, Kind.SCRIPT_FAIR, Kind.REDISSON_EXPIRABLE),
                "Nearly every call waits for a hand-over, and a hand-over wakes a thread.");
        atMost(0.3, "64 callers for 10 permits, `fair`: Redis CPU" + REDISSON,
                ratio(Load.CONTENDED, REDIS_CPU, Kind.SCRIPT_FAIR, Kind.REDISSON_EXPIRABLE),
                "Ten permits make small batches, and Redis queues each call before it gives it a permit.");
        atMost(1.6, "64 callers: Redis CPU, `fair` vs. not fair",
                ratio(Load.SIXTY_FOUR, REDIS_CPU, Kind.SCRIPT_FAIR, Kind.SCRIPT), "The queue costs commands of its own.");
        atLeast(0.9, "pairs/s, 100,000 permits held vs. 10", ratio(held(100_000), held(10)),
                "The sorted set of holders is deeper, and less of it is in the cache of the processor.");
        roundTrips(1, "the same process, p50", HandOverPart.SAME_PROCESS + ".p50", WAKING);
        roundTrips(2, "the same process, p99", HandOverPart.SAME_PROCESS + ".p99", WAKING);
        roundTrips(3, "another process, p50", HandOverPart.NEXT_WAITER + ".p50", TWO_WAKINGS);
        roundTrips(6, "another process, p99", HandOverPart.NEXT_WAITER + ".p99", TWO_WAKINGS);
        return table.asciidoc();
    }

    private void roundTrips(int most, String what, String figure, String reason) {
        atMost(most, "hand-over in " + what + " vs. p50 of a round trip",
                ratio(figures.number(figure), figures.number(HandOverPart.ROUND_TRIP + ".p50")), reason);
    }

    private void atLeast(double least, String what, OptionalDouble measured, String reason) {
        row(what, "≥" + number(least), measured, measured.orElse(0) >= least, reason);
    }

    private void atMost(double most, String what, OptionalDouble measured, String reason) {
        row(what, "≤" + number(most), measured, measured.orElse(0) <= most, reason);
    }

    private void row(String what, String bound, OptionalDouble measured, boolean met, String reason) {
        if (measured.isEmpty()) {
            table.row(what, bound, "-", "not measured", "");
        } else {
            table.row(what, bound, number(measured.getAsDouble()), met ? "met" : "*missed*", met ? "" : reason);
        }
    }

    private static String number(double value) {
        return (value >= 100 ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%.3g", value).replaceAll("(\\.\\d*?)0+$", "$1").replaceAll("\\.$", "")) + "×";
    }

    private OptionalDouble redisson(Load load, Measure measure) {
        return ratio(load, measure, Kind.SCRIPT, Kind.REDISSON_EXPIRABLE);
    }

    private OptionalDouble ratio(Load load, Measure measure, Kind of, Kind against) {
        return ratio(figures.number(Tables.name(load, of, measure)), figures.number(Tables.name(load, against, measure)));
    }

    private OptionalDouble held(int size) {
        return figures.number(ScalePart.name(new HeldPermits(), Kind.SCRIPT, size) + "." + PAIRS_PER_SECOND.id());
    }

    private static OptionalDouble ratio(OptionalDouble of, OptionalDouble against) {
        return of.isPresent() && against.isPresent() ? OptionalDouble.of(of.getAsDouble() / against.getAsDouble())
                : OptionalDouble.empty();
    }
}
