package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.Locale;
import java.util.OptionalDouble;

/** Numbers as people read them. */
final class Numbers {

    private static final double THREE_DIGITS = 100;
    private static final double TWO_DIGITS = 10;
    private static final double ONE_DIGIT = 1;

    private Numbers() {
    }

    /** With no more digits than mean something; a dash when it was not measured. */
    static String text(OptionalDouble number) {
        return number.isPresent() ? text(number.getAsDouble()) : "-";
    }

    /** With no more digits than mean something. */
    static String text(double number) {
        String format = number >= THREE_DIGITS ? "%,.0f"
                : number >= TWO_DIGITS ? "%.1f" : number >= ONE_DIGIT ? "%.2f" : "%.3f";
        return number == 0 ? "0" : String.format(Locale.ROOT, format, number);
    }
}
