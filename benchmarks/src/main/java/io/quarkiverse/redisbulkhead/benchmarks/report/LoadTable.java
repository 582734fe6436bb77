package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.LoadPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;

/** All contenders under each load. */
final class LoadTable {

    private final Figures figures;

    LoadTable(Figures figures) {
        this.figures = figures;
    }

    String asciidoc() {
        StringBuilder text = new StringBuilder();
        for (Load load : Load.values()) {
            Table table = Table.ofNumbers("", "pairs/s", "p50", "p99", "p99.9", "Redis CPU", "commands", "calls", "allocated",
                    "CPU here");
            for (Kind kind : Kind.values()) {
                if (figures.number(name(load, kind, Measure.PAIRS_PER_SECOND)).isPresent()) {
                    table.row(row(load, kind));
                }
            }
            text.append("=== ").append(load.title()).append("\n\n").append(table.asciidoc()).append('\n');
        }
        return text.toString();
    }

    private List<String> row(Load load, Kind kind) {
        List<String> row = new ArrayList<>(List.of(kind.title()));
        for (Measure measure : Measure.values()) {
            String name = name(load, kind, measure);
            row.add(measure.isTime() ? Numbers.time(figures.number(name)) : Numbers.text(figures.number(name)));
        }
        return row;
    }

    static String name(Load load, Kind kind, Measure measure) {
        return LoadPart.name(load, kind) + "." + measure.id();
    }
}
