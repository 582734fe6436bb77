package io.quarkiverse.redisbulkhead.benchmarks.plot;

import java.util.List;

/**
 * Horizontal bars, one below the other. A bar that is much longer than the others is cut, so that those can be told apart; its
 * number says how long it is.
 */
public final class Bars {

    private static final int TITLE = 34;
    private static final int ROW = 22;
    private static final int THICKNESS = 14;
    private static final int LABELS = 226;
    private static final int VALUES = 78;
    private static final int FONT = 12;

    private final String title;
    private final List<Bar> bars;
    private final double longest;

    /**
     * One bar.
     *
     * @param label what it is
     * @param value how long it is
     * @param text the value for people
     * @param paint how it looks
     */
    public record Bar(String label, double value, String text, Paint paint) {
    }

    /**
     * A group of bars.
     *
     * @param title above them
     * @param bars from top to bottom
     * @param longest the value at which bars are cut
     */
    public Bars(String title, List<Bar> bars, double longest) {
        this.title = title;
        this.bars = bars;
        this.longest = longest;
    }

    /** How much room so many bars need. */
    public static int height(int bars) {
        return TITLE + bars * ROW;
    }

    /** Draws them. */
    public void draw(Svg svg, double x, double y, double width) {
        double room = width - LABELS - VALUES;
        double left = x + LABELS;
        svg.title(x, y + 16, title);
        double top = y + TITLE;
        svg.line(left, top - 4, left, top + bars.size() * ROW, Svg.GRID);
        for (Bar bar : bars) {
            boolean cut = bar.value() > longest;
            double length = room * Math.min(1, bar.value() / longest);
            double baseline = top + THICKNESS - 2;
            svg.text(left - 8, baseline, Svg.Anchor.END, Svg.INK, FONT, bar.label());
            svg.bar(left, top, Math.max(1, length), THICKNESS, bar.paint());
            svg.text(left + length + 6, baseline, Svg.Anchor.START, Svg.FAINT_INK, FONT, (cut ? "… " : "") + bar.text());
            top += ROW;
        }
    }
}
