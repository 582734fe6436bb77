package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Comparator;

/**
 * One mistake in the use of {@link io.quarkiverse.redisbulkhead.RedisBulkhead}.
 *
 * @param place the class, method or property
 * @param text what is wrong with it, and the way out
 */
public record Mistake(String place, String text) implements Comparable<Mistake> {

    private static final Comparator<Mistake> ORDER = Comparator.comparing(Mistake::place).thenComparing(Mistake::text);

    @Override
    public int compareTo(Mistake other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return place + ": " + text;
    }
}
