package io.quarkiverse.redisbulkhead.benchmarks.report;

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

    String markdown() {
        StringBuilder text = new StringBuilder();
        for (Load load : Load.values()) {
            text.append("### ").append(load.title()).append("\n\n")
                    .append("| | pairs/s | p50 | p99 | p99.9 | Redis CPU | commands | calls | allocated | CPU here |\n")
                    .append("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
            for (Kind kind : Kind.values()) {
                if (figures.number(name(load, kind, Measure.PAIRS_PER_SECOND)).isPresent()) {
                    text.append(row(load, kind));
                }
            }
            text.append('\n');
        }
        return text.toString();
    }

    private String row(Load load, Kind kind) {
        StringBuilder row = new StringBuilder("| ").append(kind.title());
        for (Measure measure : Measure.values()) {
            String name = name(load, kind, measure);
            row.append(" | ")
                    .append(measure.isTime() ? Numbers.time(figures.number(name)) : Numbers.text(figures.number(name)));
        }
        return row.append(" |\n").toString();
    }

    static String name(Load load, Kind kind, Measure measure) {
        return String.join(".", LoadPart.ID, load.id(), kind.id(), measure.id());
    }
}
