package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * One start of the application.
 *
 * @param startedMillis how long it took, as Quarkus tells it
 * @param answeredMillis from the start of the process to its first response
 * @param megabytes what it has in memory then
 */
record StartFigures(double startedMillis, double answeredMillis, double megabytes) {

    private static final double MOST_MILLIS = 30;
    private static final double MOST_MILLIS_NATIVE = 3;
    private static final double MOST_MILLIS_TO_ANSWER = 60;
    private static final double MOST_MEGABYTES = 0.6;
    private static final String LOADING = "The classes of the extension and of its configuration are loaded.";

    /** As a table of AsciiDoc: medians, and what the extension adds to the same application. */
    static String table(Map<Variant, List<StartFigures>> starts) {
        StringBuilder table = new StringBuilder("""
                [%autowidth,cols="<,>,>,>,>,>,>"]
                |===
                | application | started | added | first response | added | memory | added

                """);
        starts.forEach((variant, figures) -> table.append(String.format(Locale.ROOT,
                "| %s | %.0f ms | %+.0f ms | %.0f ms | %+.0f ms | %.1f MB | %+.1f MB%n", variant.title(),
                median(figures, StartFigures::startedMillis), added(starts, variant, StartFigures::startedMillis),
                median(figures, StartFigures::answeredMillis), added(starts, variant, StartFigures::answeredMillis),
                median(figures, StartFigures::megabytes), added(starts, variant, StartFigures::megabytes))));
        return table.append("|===\n").toString();
    }

    /** What was to be reached, as a table of AsciiDoc. */
    static String targets(Map<Variant, List<StartFigures>> starts) {
        return Target.table(
                new Target("start-up time added", Variant.isNative() ? MOST_MILLIS_NATIVE : MOST_MILLIS, "ms",
                        added(starts, Variant.SCRIPT, StartFigures::startedMillis), LOADING),
                new Target("time to the first response added", MOST_MILLIS_TO_ANSWER, "ms",
                        added(starts, Variant.SCRIPT, StartFigures::answeredMillis), LOADING
                                + " The first call connects to Redis, and sends the script."),
                new Target("memory added", MOST_MEGABYTES, "MB", added(starts, Variant.SCRIPT, StartFigures::megabytes),
                        "Beans, configuration, scripts, and a connection to Redis."));
    }

    /** The median of the differences, start by start, because the speed of the machine drifts. */
    private static double added(Map<Variant, List<StartFigures>> starts, Variant variant,
            ToDoubleFunction<StartFigures> value) {
        List<StartFigures> with = starts.get(variant);
        List<StartFigures> without = starts.get(variant.without());
        return median(IntStream.range(0, with.size())
                .mapToDouble(i -> value.applyAsDouble(with.get(i)) - value.applyAsDouble(without.get(i))));
    }

    private static double median(List<StartFigures> figures, ToDoubleFunction<StartFigures> value) {
        return median(figures.stream().mapToDouble(value));
    }

    private static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
