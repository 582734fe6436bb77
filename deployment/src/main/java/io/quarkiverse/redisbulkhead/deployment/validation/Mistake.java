package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Comparator;

import io.quarkiverse.redisbulkhead.runtime.MessageCode;

/**
 * One mistake in the use of {@link io.quarkiverse.redisbulkhead.RedisBulkhead}.
 *
 * @param code its number
 * @param place the class, method or property
 * @param text what is wrong with it, and the way out
 */
public record Mistake(MessageCode code, String place, String text) implements Comparable<Mistake> {

    private static final Comparator<Mistake> ORDER = Comparator.comparing(Mistake::place).thenComparing(Mistake::code)
            .thenComparing(Mistake::text);

    @Override
    public int compareTo(Mistake other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return code + " " + place + ": " + text;
    }
}
