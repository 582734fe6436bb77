package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.util.Locale;

/**
 * The most that something may cost.
 *
 * @param what is measured
 * @param most the bound
 * @param unit of both numbers
 * @param measured what it costs
 * @param reason why it may cost more
 */
record Target(String what, double most, String unit, double measured, String reason) {

    /** As a table of AsciiDoc. */
    static String table(Target... targets) {
        StringBuilder table = new StringBuilder("""
                [%autowidth,cols="<,>,>,<,<"]
                |===
                | what | at most | measured | verdict | why it is missed

                """);
        for (Target target : targets) {
            table.append(String.format(Locale.ROOT, "| %s | %s %s | %s %s | %s%n", target.what,
                    text(target.most), target.unit, text(target.measured), target.unit,
                    target.measured <= target.most ? "met | " : "*missed* | " + target.reason));
        }
        return table.append("|===\n").toString();
    }

    private static String text(double number) {
        return String.format(Locale.ROOT, Math.abs(number) < 1 ? "%.2f" : Math.abs(number) < 10 ? "%.1f" : "%,.0f", number);
    }
}
