package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Something that is to be reached.
 *
 * @param what is measured
 * @param bound whether more or less is better
 * @param limit the least or the most
 * @param unit after the numbers
 * @param measured empty when it was not
 */
record Target(String what, Bound bound, double limit, String unit, OptionalDouble measured) {

    enum Bound {
        AT_LEAST("≥"),
        AT_MOST("≤");

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }
    }

    List<String> row() {
        String result = measured.isEmpty() ? "not measured" : isMet() ? "met" : "*missed*";
        return List.of(what, bound.sign + number(limit) + unit,
                measured.isEmpty() ? "-" : number(measured.getAsDouble()) + unit, result);
    }

    boolean isMet() {
        return measured.isPresent()
                && (bound == Bound.AT_LEAST ? measured.getAsDouble() >= limit : measured.getAsDouble() <= limit);
    }

    private static String number(double value) {
        return value >= 100 ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%.3g", value).replaceAll("(\\.\\d*?)0+$", "$1").replaceAll("\\.$", "");
    }
}
