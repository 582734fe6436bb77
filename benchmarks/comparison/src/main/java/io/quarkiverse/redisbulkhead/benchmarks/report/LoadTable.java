package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.LoadPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;

/** All contenders under each load. */
final class LoadTable {

    private static final List<Load> ON_PAGE = List.of(Load.ONE, Load.SIXTY_FOUR, Load.ASYNCHRONOUS, Load.CONTENDED);
    private static final Map<Measure, String> COLUMNS = new LinkedHashMap<>();

    static {
        COLUMNS.put(Measure.PAIRS_PER_SECOND, "pairs/s");
        COLUMNS.put(Measure.P50, "p50, µs");
        COLUMNS.put(Measure.P99, "p99, µs");
        COLUMNS.put(Measure.REDIS_CPU, "Redis CPU, µs");
    }

    private final Figures figures;

    LoadTable(Figures figures) {
        this.figures = figures;
    }

    /** A table with the most important measures for each load; that of 256 callers is much like that of 64. */
    String asciidoc() {
        StringBuilder text = new StringBuilder();
        for (Load load : ON_PAGE) {
            Table table = Table.ofNumbers(Stream.concat(Stream.of(""), COLUMNS.values().stream()).toArray(String[]::new));
            measured(load).forEach(kind -> table.row(row(load, kind)));
            text.append("=== ").append(load.title()).append("\n\n").append(table.asciidoc()).append('\n');
        }
        return text.toString();
    }

    private Stream<Kind> measured(Load load) {
        return Arrays.stream(Kind.values())
                .filter(kind -> figures.number(name(load, kind, Measure.PAIRS_PER_SECOND)).isPresent());
    }

    private List<String> row(Load load, Kind kind) {
        List<String> row = new ArrayList<>(List.of(kind.title()));
        COLUMNS.keySet().forEach(measure -> row.add(Numbers.text(figures.number(name(load, kind, measure)))));
        return row;
    }

    /** All measures, as comma-separated values. */
    String csv() {
        StringBuilder text = new StringBuilder("load,contender," + Arrays.stream(Measure.values()).map(Measure::id)
                .collect(Collectors.joining(",")) + "\n");
        for (Load load : Load.values()) {
            measured(load).forEach(kind -> text.append(load.id()).append(',').append(kind.id()).append(',')
                    .append(Arrays.stream(Measure.values()).map(measure -> figures.text(name(load, kind, measure)))
                            .collect(Collectors.joining(",")))
                    .append('\n'));
        }
        return text.toString();
    }

    static String name(Load load, Kind kind, Measure measure) {
        return LoadPart.name(load, kind) + "." + measure.id();
    }
}
