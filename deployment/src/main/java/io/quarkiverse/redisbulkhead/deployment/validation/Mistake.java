package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Comparator;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.definition.Findings;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

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

    /** Turns what is found into mistakes. */
    static Findings to(Consumer<Mistake> mistakes) {
        return (code, place, text) -> mistakes.accept(new Mistake(code, place, text));
    }

    @Override
    public int compareTo(Mistake other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return code + " " + place + ": " + text;
    }
}
