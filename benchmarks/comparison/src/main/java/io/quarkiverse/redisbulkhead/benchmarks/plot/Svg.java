package io.quarkiverse.redisbulkhead.benchmarks.plot;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A drawing. It has a light ground of its own, so it can be read on a dark page, too. */
public final class Svg {

    static final String INK = "#1f2937";
    static final String FAINT_INK = "#6b7280";
    static final String GRID = "#e5e7eb";

    private static final String GROUND = "#ffffff";

    /** Where a text begins or ends. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    private final int width;
    private final int height;
    private final StringBuilder body = new StringBuilder();

    /**
     * An empty drawing.
     *
     * @param width in pixels
     * @param height in pixels
     */
    public Svg(int width, int height) {
        this.width = width;
        this.height = height;
    }

    void bar(double x, double y, double length, double thickness, Paint paint) {
        String outline = paint.dashed() ? " stroke=\"" + paint.colour() + "\" stroke-dasharray=\"4 3\" fill-opacity=\"0.12\""
                : "";
        add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" fill=\"%s\"%s/>", x, y, length, thickness,
                paint.colour(), outline);
    }

    void line(double x1, double y1, double x2, double y2, String colour) {
        add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>", x1, y1, x2, y2, colour);
    }

    void curve(List<Point> points, Paint paint) {
        String path = points.stream().map(point -> String.format(Locale.ROOT, "%.1f,%.1f", point.x(), point.y()))
                .collect(Collectors.joining(" "));
        add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>", path, paint.colour(),
                paint.dashed() ? " stroke-dasharray=\"5 4\"" : "");
        points.forEach(point -> add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", point.x(), point.y(),
                paint.colour()));
    }

    void text(double x, double y, Anchor anchor, String colour, int size, String text) {
        text(x, y, anchor, colour, size, "", text);
    }

    void title(double x, double y, String text) {
        text(x, y, Anchor.START, INK, 14, " font-weight=\"600\"", text);
    }

    private void text(double x, double y, Anchor anchor, String colour, int size, String attributes, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\" font-size=\"%d\"%s>%s</text>", x, y,
                anchor.name().toLowerCase(Locale.ROOT), colour, size, attributes, escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private void add(String format, Object... values) {
        body.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    /** One place in a drawing. */
    record Point(double x, double y) {
    }

    /** The file. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"
                    font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif">
                <rect width="%d" height="%d" rx="8" fill="%s"/>
                %s</svg>
                """, width, height, width, height, width, height, GROUND, body);
    }
}
