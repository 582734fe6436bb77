package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.plot.Curves;
import io.quarkiverse.redisbulkhead.benchmarks.plot.Curves.Curve;
import io.quarkiverse.redisbulkhead.benchmarks.plot.Legend;
import io.quarkiverse.redisbulkhead.benchmarks.plot.Svg;
import io.quarkiverse.redisbulkhead.benchmarks.scale.Growth;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/** What becomes of pairs per second, and of the cost in Redis, when there is more of something. */
final class ScalePlot {

    private static final int WIDTH = 1_000;
    private static final int HEIGHT = 250;
    private static final int MARGIN = 20;
    private static final int LEGEND = 24;
    private static final int THOUSAND = 1_000;

    private final Figures figures;

    ScalePlot(Figures figures) {
        this.figures = figures;
    }

    String svg() {
        List<Growth> growths = ScalePart.GROWTHS;
        Svg svg = new Svg(WIDTH, 2 * (HEIGHT + MARGIN) + MARGIN + LEGEND);
        Legend legend = new Legend();
        growths.forEach(growth -> growth.kinds().forEach(kind -> legend.add(Looks.label(kind), Looks.of(kind))));
        legend.draw(svg, MARGIN, MARGIN + 6);
        double width = (WIDTH - MARGIN * (growths.size() + 1.0)) / growths.size();
        double top = MARGIN + LEGEND;
        for (int at = 0; at < growths.size(); at++) {
            double left = MARGIN + at * (width + MARGIN);
            Growth growth = growths.get(at);
            curves(growth, "pairs/s", Measure.PAIRS_PER_SECOND).draw(svg, left, top, width, HEIGHT);
            curves(growth, "Redis CPU per pair, µs", Measure.REDIS_CPU).draw(svg, left, top + HEIGHT + MARGIN, width, HEIGHT);
        }
        return svg.toString();
    }

    private Curves curves(Growth growth, String title, Measure measure) {
        List<Integer> steps = List.of();
        List<Curve> curves = new ArrayList<>();
        for (Kind kind : growth.kinds()) {
            List<Integer> sizes = growth.sizes(kind);
            steps = sizes.size() > steps.size() ? sizes : steps;
            curves.add(0,
                    new Curve(
                            sizes.stream().map(size -> figures.number(ScalePart.name(growth, kind, size) + "." + measure.id()))
                                    .filter(OptionalDouble::isPresent).map(OptionalDouble::getAsDouble).toList(),
                            Looks.of(kind)));
        }
        return new Curves(title, growth.title(), steps.stream().map(ScalePlot::step).toList(), curves);
    }

    private static String step(int size) {
        return size < THOUSAND ? Integer.toString(size) : size / THOUSAND + "k";
    }
}
