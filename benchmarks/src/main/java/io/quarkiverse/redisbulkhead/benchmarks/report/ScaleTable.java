package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

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

    String asciidoc() {
        StringBuilder text = new StringBuilder();
        for (Growth growth : ScalePart.GROWTHS) {
            text.append(table(growth)).append('\n');
        }
        return text.toString();
    }

    private String table(Growth growth) {
        Set<Integer> sizes = new TreeSet<>();
        growth.kinds().forEach(kind -> sizes.addAll(growth.sizes(kind)));
        Table table = Table.ofNumbers(Stream.concat(Stream.of("pairs/s, Redis CPU per pair"),
                sizes.stream().map(size -> String.format("%,d", size) + " " + growth.unit(size))).toArray(String[]::new));
        for (Kind kind : growth.kinds()) {
            table.row(Stream.concat(Stream.of(kind.title()),
                    sizes.stream().map(size -> cell(ScalePart.name(growth, kind, size)))).toList());
        }
        return table.asciidoc();
    }

    private String cell(String name) {
        String pairs = name + "." + Measure.PAIRS_PER_SECOND.id();
        return figures.number(pairs).isEmpty() ? ""
                : Numbers.text(figures.number(pairs)) + ", "
                        + Numbers.time(figures.number(name + "." + Measure.REDIS_CPU.id()));
    }
}
