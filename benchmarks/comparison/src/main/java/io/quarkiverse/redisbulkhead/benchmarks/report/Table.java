package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;

/** A table of a page in AsciiDoc. Its first column is text, and the others are aligned as it says. */
final class Table {

    private static final double THREE_DIGITS = 100;
    private static final double TWO_DIGITS = 10;
    private static final double ONE_DIGIT = 1;
    private static final double SMALLEST = 0.001;

    private final List<String> titles;
    private final String alignment;
    private final List<String> rows = new ArrayList<>();

    private Table(String alignment, List<String> titles) {
        this.alignment = alignment;
        this.titles = titles;
    }

    /** All columns but the first are numbers. */
    static Table ofNumbers(String... titles) {
        return new Table(">", List.of(titles));
    }

    /** All columns are text. */
    static Table ofTexts(String... titles) {
        return new Table("<", List.of(titles));
    }

    Table row(List<String> cells) {
        if (cells.size() != titles.size()) {
            throw new IllegalArgumentException("There are " + titles.size() + " columns, but cells are " + cells);
        }
        rows.add(line(cells));
        return this;
    }

    Table row(String... cells) {
        return row(List.of(cells));
    }

    private static String line(List<String> cells) {
        return "| " + String.join(" | ", cells) + "\n";
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    String asciidoc() {
        return "[%autowidth,cols=\"<" + ("," + alignment).repeat(titles.size() - 1) + "\"]\n|===\n" + line(titles) + "\n"
                + String.join("", rows) + "|===\n";
    }

    /** With no more digits than mean something; a dash when it was not measured. */
    static String number(OptionalDouble number) {
        return number.isPresent() ? number(number.getAsDouble()) : "-";
    }

    /**
     * The median of some numbers, with the lowest and the highest if they differ.
     *
     * @param sorted at least one number, ascending
     * @param text writes one of them
     */
    static String range(double[] sorted, DoubleFunction<String> text) {
        String lowest = text.apply(sorted[0]);
        String highest = text.apply(sorted[sorted.length - 1]);
        return text.apply(Figures.median(sorted)) + (lowest.equals(highest) ? "" : " (" + lowest + " to " + highest + ")");
    }

    /** With no more digits than mean something. */
    static String number(double number) {
        String format = number >= THREE_DIGITS ? "%,.0f"
                : number >= TWO_DIGITS ? "%.1f" : number >= ONE_DIGIT ? "%.2f" : "%.3f";
        return number == 0 ? "0" : number > 0 && number < SMALLEST ? "<0.001" : String.format(Locale.ROOT, format, number);
    }
}
