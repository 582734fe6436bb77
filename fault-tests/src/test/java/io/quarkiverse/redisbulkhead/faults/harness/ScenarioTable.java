package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The table of all scenarios that went well, with their results over all runs. It is written to {@code target}; and
 * when no scenario is missing, into the document that {@code -Dfaults.table} names, between two marks.
 */
final class ScenarioTable {

    private static final Path HERE = Path.of("target", "scenarios.adoc");
    private static final String BEGIN = "// scenarios: begin";
    private static final String END = "// scenarios: end";

    record Row(String group, String scenario, String expected, Store store) {

        static final Comparator<Row> ORDER = Comparator.comparing(Row::group).thenComparing(Row::scenario)
                .thenComparing(Row::store);
    }

    record Sum(int runs, Figures figures) {
    }

    private static final Map<Row, Sum> ROWS = new TreeMap<>(Row.ORDER);

    private ScenarioTable() {
    }

    static synchronized void add(Class<?> test, Scenario scenario, Store store, Figures figures) {
        Row row = new Row(test.getSimpleName(), scenario.value(), scenario.expected(), store);
        ROWS.merge(row, new Sum(1, figures),
                (all, one) -> new Sum(all.runs() + 1, all.figures().and(one.figures())));
        try {
            Files.writeString(HERE, text(ROWS));
            String document = System.getProperty("faults.table", "");
            if (!document.isEmpty() && ROWS.size() == AllScenarios.rows()) {
                writeInto(Path.of(document));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void writeInto(Path document) throws IOException {
        String text = Files.readString(document);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalStateException(document + " has no place for the table between " + BEGIN + " and " + END);
        }
        Files.writeString(document, text.substring(0, begin + BEGIN.length()) + "\n" + text(ROWS) + text.substring(end));
    }

    /** A table for each group, in AsciiDoc. */
    static String text(Map<Row, Sum> rows) {
        StringBuilder text = new StringBuilder();
        String group = "";
        for (Map.Entry<Row, Sum> entry : rows.entrySet()) {
            Row row = entry.getKey();
            if (!row.group().equals(group)) {
                text.append(group.isEmpty() ? "" : "|===\n").append("\n`").append(row.group())
                        .append("`\n\n[%autowidth]\n|===\n")
                        .append("| fault | expected | store | runs | executions | faults | longest recovery | longest excused overlap\n\n");
                group = row.group();
            }
            Figures figures = entry.getValue().figures();
            text.append("| ").append(row.scenario()).append(" | ").append(row.expected()).append(" | ")
                    .append(row.store().configured()).append(" | ").append(entry.getValue().runs()).append(" | ")
                    .append(figures.executions()).append(" | ").append(figures.faults()).append(" | ")
                    .append(seconds(figures.longestRecovery())).append(" | ").append(seconds(figures.longestOverlap()))
                    .append('\n');
        }
        return text.append("|===\n\n").toString();
    }

    private static String seconds(Duration duration) {
        return duration.isZero() ? "-" : String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
    }
}
