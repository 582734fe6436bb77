package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The scenarios that passed, with their results over all runs. The table is written to {@code target}, and, if no scenario is
 * missing, between two marks of the document that {@code -Dfaults.table} names.
 */
final class ScenarioTable {

    private static final Path HERE = Path.of("target", "scenarios.adoc");
    private static final String BEGIN = "// scenarios: begin";
    private static final String END = "// scenarios: end";

    /** Replaces the figures of a store to which a scenario does not apply. */
    static final String NOT_RUN = "not run";

    /** The results of a scenario: the longest recovery from a fault, and the longest overlap that the guarantees excuse. */
    record Figures(long executions, long faults, Duration longestRecovery, Duration longestOverlap) {

        private Figures and(Figures other) {
            return new Figures(executions + other.executions, faults + other.faults,
                    longer(longestRecovery, other.longestRecovery), longer(longestOverlap, other.longestOverlap));
        }
    }

    static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    record Row(String group, String scenario, String expected) {

        static final Comparator<Row> ORDER = Comparator.comparing(Row::group).thenComparing(Row::scenario)
                .thenComparing(Row::expected);
    }

    record Sum(int runs, Figures figures) {

        private Sum and(Sum other) {
            return new Sum(runs + other.runs, figures.and(other.figures));
        }
    }

    private static final Map<Row, Map<Store, Sum>> ROWS = new TreeMap<>(Row.ORDER);

    private ScenarioTable() {
    }

    static synchronized void add(Class<?> test, Scenario scenario, Store store, Figures figures) {
        ROWS.computeIfAbsent(new Row(test.getSimpleName(), scenario.value(), scenario.expected()),
                row -> new EnumMap<>(Store.class)).merge(store, new Sum(1, figures), Sum::and);
        try {
            Files.writeString(HERE, text(ROWS));
            String document = System.getProperty("faults.table", "");
            if (!document.isEmpty() && ROWS.values().stream().mapToInt(Map::size).sum() == AllScenarios.rows()) {
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

    /** One table, with a heading for each group, and the sum of all runs, in AsciiDoc. */
    static String text(Map<Row, Map<Store, Sum>> rows) {
        List<Sum> sums = rows.values().stream().flatMap(stores -> stores.values().stream()).toList();
        Sum all = sums.stream().reduce(Sum::and).orElseThrow();
        IntSummaryStatistics runs = sums.stream().mapToInt(Sum::runs).summaryStatistics();
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
                "%nRuns for each scenario and store: %d to %d. In all: %,d executions, %,d faults. Longest excused overlap: %s s.%n%n",
                runs.getMin(), runs.getMax(), all.figures().executions(), all.figures().faults(),
                seconds(all.figures().longestOverlap())));
        text.append("[%autowidth]\n|===\n| fault | expected");
        for (Store store : Store.values()) {
            text.append(" | `").append(store.configured()).append("`, s");
        }
        text.append('\n');
        String group = "";
        for (Map.Entry<Row, Map<Store, Sum>> entry : rows.entrySet()) {
            Row row = entry.getKey();
            if (!row.group().equals(group)) {
                group = row.group();
                text.append("\n4+h| `").append(group).append("`\n");
            }
            text.append("| ").append(row.scenario()).append(" | ").append(row.expected());
            for (Store store : Store.values()) {
                Sum sum = entry.getValue().get(store);
                text.append(" | ").append(sum == null ? NOT_RUN : seconds(sum.figures().longestRecovery()));
            }
            text.append('\n');
        }
        return text.append("|===\n\n").toString();
    }

    private static String seconds(Duration duration) {
        return duration.isZero() ? "-" : String.format(Locale.ROOT, "%.1f", duration.toMillis() / 1_000.0);
    }
}
