package io.quarkiverse.redisbulkhead.runtime.observation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Texts as labels of series and spans, whose backends keep each of them for ever: only so many that are made while the
 * application runs, and {@value #OTHER} for the rest. Safe for use by many threads.
 */
public final class BoundedLabels {

    /** Stands for all texts that are too many, or too long. */
    public static final String OTHER = "other";

    /** How many characters a label has at the most. */
    public static final int MAX_LENGTH = 200;

    private final Predicate<String> always;
    private final int most;
    private final Map<String, String> known = new ConcurrentHashMap<>();
    // Guarded by this.
    private int counted;

    /**
     * Knows no text yet.
     *
     * @param always the texts that are labels whatever their number; asked once for each of them
     * @param most how many others are
     */
    public BoundedLabels(Predicate<String> always, int most) {
        this.always = always;
        this.most = most;
    }

    /**
     * The label of a text.
     *
     * @param text any
     * @return the text, or {@value #OTHER}
     */
    public String of(String text) {
        String label = known.get(text);
        return label != null ? label : firstTime(text);
    }

    private String firstTime(String text) {
        boolean counts = !always.test(text);
        synchronized (this) {
            if (counts && !known.containsKey(text)) {
                if (counted == most || text.length() > MAX_LENGTH) {
                    return OTHER;
                }
                counted++;
            }
            known.put(text, text);
        }
        return text;
    }
}
