package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A sorted set: members by score, then by text. */
final class SortedSet {

    private static final Comparator<Map.Entry<String, Double>> ORDER = Map.Entry.<String, Double> comparingByValue()
            .thenComparing(Map.Entry.comparingByKey());

    private final Map<String, Double> scores = new TreeMap<>();

    Map<String, Double> scores() {
        return scores;
    }

    List<Map.Entry<String, Double>> inOrder() {
        return scores.entrySet().stream().sorted(ORDER).toList();
    }

    static double number(String text) {
        return switch (text) {
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "+inf", "inf" -> Double.POSITIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    /** A whole score as Redis writes it. */
    static String text(double score) {
        if (score != Math.rint(score)) {
            throw new IllegalArgumentException("This model has whole scores only, not " + score);
        }
        return Long.toString((long) score);
    }
}
