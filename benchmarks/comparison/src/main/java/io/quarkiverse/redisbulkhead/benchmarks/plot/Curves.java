package io.quarkiverse.redisbulkhead.benchmarks.plot;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.plot.Svg.Point;

/** Curves over steps of equal width, with a logarithmic scale upwards. */
public final class Curves {

    private static final int LEFT = 52;
    private static final int TOP = 40;
    private static final int BOTTOM = 26;
    private static final int FONT = 11;
    // Else noise looks like a slope.
    private static final int LEAST_DECADES = 2;
    private static final double DECADE = 10;

    private final String title;
    private final String subtitle;
    private final List<String> steps;
    private final List<Curve> curves;

    /**
     * One curve.
     *
     * @param values one for each of the first steps
     * @param paint how it looks
     */
    public record Curve(List<Double> values, Paint paint) {
    }

    /**
     * A group of curves.
     *
     * @param title above them
     * @param subtitle below that
     * @param steps from left to right
     * @param curves the lowest coming first
     */
    public Curves(String title, String subtitle, List<String> steps, List<Curve> curves) {
        this.title = title;
        this.subtitle = subtitle;
        this.steps = steps;
        this.curves = curves;
    }

    /** Draws them. */
    public void draw(Svg svg, double x, double y, double width, double height) {
        int lowest = (int) Math.floor(values().map(Math::log10).min(Double::compare).orElse(0.0));
        int highest = Math.max(lowest + LEAST_DECADES,
                (int) Math.ceil(values().map(Math::log10).max(Double::compare).orElse(1.0)));
        double bottom = y + height - BOTTOM;
        double decade = (bottom - y - TOP) / (highest - lowest);
        double step = (width - LEFT) / steps.size();
        svg.title(x, y + 14, title);
        svg.text(x, y + 30, Svg.Anchor.START, Svg.FAINT_INK, FONT, subtitle);
        for (int power = lowest; power <= highest; power++) {
            double level = bottom - (power - lowest) * decade;
            svg.line(x + LEFT, level, x + width, level, Svg.GRID);
            svg.text(x + LEFT - 6, level + 4, Svg.Anchor.END, Svg.FAINT_INK, FONT, power(power));
        }
        for (int at = 0; at < steps.size(); at++) {
            svg.text(x + LEFT + (at + 0.5) * step, bottom + 16, Svg.Anchor.MIDDLE, Svg.FAINT_INK, FONT, steps.get(at));
        }
        for (Curve curve : curves) {
            svg.curve(points(curve, x + LEFT + step / 2, step, bottom, decade, lowest), curve.paint());
        }
    }

    private Stream<Double> values() {
        return curves.stream().flatMap(curve -> curve.values().stream());
    }

    private static String power(int exponent) {
        double value = Math.pow(DECADE, exponent);
        return value >= 1 ? String.format(Locale.ROOT, "%,.0f", value) : String.format(Locale.ROOT, "%.1f", value);
    }

    private static List<Point> points(Curve curve, double left, double step, double bottom, double decade, int lowest) {
        return Stream.iterate(0, at -> at < curve.values().size(), at -> at + 1)
                .map(at -> new Point(left + at * step, bottom - (Math.log10(curve.values().get(at)) - lowest) * decade))
                .toList();
    }
}
