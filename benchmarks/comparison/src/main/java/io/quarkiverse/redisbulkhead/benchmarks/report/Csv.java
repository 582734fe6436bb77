package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;

/** All measures of a part as comma-separated values, from which the plots can be drawn again. */
final class Csv {

    private static final List<String> MEASURES = Arrays.stream(Measure.values()).map(Measure::id).toList();

    private Csv() {
    }

    /**
     * The file.
     *
     * @param columns the titles before those of the measures
     * @param part the start of the names of its figures
     * @param rows what follows it in them, up to the measure; rows that were not measured are left out
     */
    static String text(Figures figures, String columns, String part, Stream<String> rows) {
        return columns + "," + String.join(",", MEASURES) + "\n"
                + rows.filter(row -> figures.number(part + row + "." + Measure.PAIRS_PER_SECOND.id()).isPresent())
                        .map(row -> row.replace('.', ',') + MEASURES.stream()
                                .map(measure -> "," + figures.text(part + row + "." + measure)).collect(Collectors.joining())
                                + "\n")
                        .collect(Collectors.joining());
    }

    /** Adds the figures of such a file. */
    static void read(Path file, String part, Figures figures) throws IOException {
        List<String> lines = Files.readAllLines(file);
        int names = lines.get(0).split(",").length - MEASURES.size();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",");
            String name = part + String.join(".", Arrays.copyOf(cells, names));
            for (int measure = 0; measure < MEASURES.size(); measure++) {
                String value = cells[names + measure];
                if (!value.equals("-")) {
                    figures.put(name + "." + MEASURES.get(measure), Double.parseDouble(value));
                }
            }
        }
    }
}
