package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.scale.Growth;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/** What each size costs. */
final class ScaleTable {

    private final Figures figures;

    ScaleTable(Figures figures) {
        this.figures = figures;
    }

    String markdown() {
        StringBuilder text = new StringBuilder();
        for (Growth growth : ScalePart.GROWTHS) {
            text.append(table(growth)).append('\n');
        }
        return text.toString();
    }

    private String table(Growth growth) {
        Set<Integer> sizes = new TreeSet<>();
        growth.kinds().forEach(kind -> sizes.addAll(growth.sizes(kind)));
        StringBuilder text = new StringBuilder("| pairs/s, Redis CPU per pair");
        sizes.forEach(size -> text.append(" | ").append(String.format("%,d", size)).append(' ').append(growth.unit(size)));
        text.append(" |\n|---|").append("---:|".repeat(sizes.size())).append('\n');
        for (Kind kind : growth.kinds()) {
            text.append("| ").append(kind.title());
            sizes.forEach(size -> text.append(" | ").append(cell(ScalePart.name(growth, kind, size))));
            text.append(" |\n");
        }
        return text.toString();
    }

    private String cell(String name) {
        String pairs = name + "." + Measure.PAIRS_PER_SECOND.id();
        return figures.number(pairs).isEmpty() ? ""
                : Numbers.text(figures.number(pairs)) + ", "
                        + Numbers.time(figures.number(name + "." + Measure.REDIS_CPU.id()));
    }
}
