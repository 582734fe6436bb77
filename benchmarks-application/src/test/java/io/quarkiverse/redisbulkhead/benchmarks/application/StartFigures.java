package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * One start of the application.
 *
 * @param startedMillis how long it took, as Quarkus tells it
 * @param answeredMillis from the start of the process to its first answer
 * @param megabytes what it has in memory then
 */
record StartFigures(double startedMillis, double answeredMillis, double megabytes) {

    private static final double MOST_MILLIS = 30;
    private static final double MOST_MILLIS_NATIVE = 3;

    /** As a table of AsciiDoc: medians, and what each variant has more than the first. */
    static String table(Map<Variant, List<StartFigures>> starts) {
        StringBuilder table = new StringBuilder("""
                [%autowidth,cols="<,>,>,>,>,>,>"]
                |===
                | application | started | added | first answer | added | memory | added

                """);
        List<StartFigures> first = starts.values().iterator().next();
        starts.forEach((variant, figures) -> table.append(String.format(Locale.ROOT,
                "| %s | %.0f ms | %+.0f ms | %.0f ms | %+.0f ms | %.1f MB | %+.1f MB%n", variant.title(),
                median(figures, StartFigures::startedMillis), added(figures, first, StartFigures::startedMillis),
                median(figures, StartFigures::answeredMillis), added(figures, first, StartFigures::answeredMillis),
                median(figures, StartFigures::megabytes), added(figures, first, StartFigures::megabytes))));
        return table.append("|===\n").toString();
    }

    /** What was to be reached, as a table of AsciiDoc. */
    static String targets(Map<Variant, List<StartFigures>> starts) {
        return Target.table(new Target("start-up time added, compared with neither extension nor Redis client",
                Variant.isNative() ? MOST_MILLIS_NATIVE : MOST_MILLIS, "ms",
                added(starts.get(Variant.SCRIPT), starts.get(Variant.WITHOUT), StartFigures::startedMillis)),
                new Target("start-up time added, compared with the Redis client alone",
                        Variant.isNative() ? MOST_MILLIS_NATIVE : MOST_MILLIS, "ms",
                        added(starts.get(Variant.SCRIPT), starts.get(Variant.REDIS), StartFigures::startedMillis)));
    }

    private static double added(List<StartFigures> figures, List<StartFigures> first, ToDoubleFunction<StartFigures> value) {
        return median(figures, value) - median(first, value);
    }

    private static double median(List<StartFigures> figures, ToDoubleFunction<StartFigures> value) {
        double[] sorted = figures.stream().mapToDouble(value).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
