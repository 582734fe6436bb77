package io.quarkiverse.redisbulkhead.benchmarks.plot;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the colours mean, in one line. */
public final class Legend {

    private static final int FONT = 12;
    private static final int SAMPLE = 18;
    private static final int GAP = 26;
    private static final double CHARACTER = 6.4;

    private final Map<String, Paint> entries = new LinkedHashMap<>();

    /** Adds something at the end, unless it is there already. */
    public void add(String label, Paint paint) {
        entries.putIfAbsent(label, paint);
    }

    /** Draws it. */
    public void draw(Svg svg, double x, double y) {
        double left = x;
        for (Map.Entry<String, Paint> entry : entries.entrySet()) {
            svg.bar(left, y - 9, SAMPLE, 8, entry.getValue());
            svg.text(left + SAMPLE + 6, y, Svg.Anchor.START, Svg.INK, FONT, entry.getKey());
            left += SAMPLE + 6 + entry.getKey().length() * CHARACTER + GAP;
        }
    }
}
