package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.plot.Bars;
import io.quarkiverse.redisbulkhead.benchmarks.plot.Bars.Bar;
import io.quarkiverse.redisbulkhead.benchmarks.plot.Svg;

/** One measure of all contenders but the one without Redis, for several loads. */
final class LoadPlot {

    private static final int WIDTH = 1_000;
    private static final int COLUMNS = 2;
    private static final int MARGIN = 20;

    // A bar is cut when it is that much longer than the second.
    private static final double TOO_LONG = 2.5;

    private final Figures figures;
    private final Measure measure;
    private final String unit;

    LoadPlot(Figures figures, Measure measure, String unit) {
        this.figures = figures;
        this.measure = measure;
        this.unit = unit;
    }

    String svg(Load... loads) {
        List<List<Bar>> groups = Stream.of(loads).map(this::bars).toList();
        int rows = (loads.length + COLUMNS - 1) / COLUMNS;
        int height = Bars.height(groups.stream().mapToInt(List::size).max().orElse(0)) + MARGIN;
        Svg svg = new Svg(WIDTH, rows * height + MARGIN);
        double width = (WIDTH - MARGIN * (COLUMNS + 1.0)) / COLUMNS;
        for (int at = 0; at < loads.length; at++) {
            new Bars(loads[at].title() + ": " + unit, groups.get(at), longest(groups.get(at))).draw(svg,
                    MARGIN + at % COLUMNS * (width + MARGIN), MARGIN + at / COLUMNS * height, width);
        }
        return svg.toString();
    }

    private List<Bar> bars(Load load) {
        List<Bar> bars = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            OptionalDouble value = figures.number(LoadTable.name(load, kind, measure));
            if (kind != Kind.LOCAL && value.isPresent()) {
                bars.add(new Bar(Looks.label(kind), value.getAsDouble(), Numbers.text(value), Looks.of(kind)));
            }
        }
        return bars;
    }

    private static double longest(List<Bar> bars) {
        List<Double> sorted = bars.stream().map(Bar::value).sorted(Comparator.reverseOrder()).toList();
        if (sorted.isEmpty()) {
            return 1;
        }
        return sorted.size() > 1 && sorted.get(0) > TOO_LONG * sorted.get(1) ? sorted.get(1) * 1.2 : sorted.get(0);
    }
}
