package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.Arrays;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.scale.Growth;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/** What each size costs, as comma-separated values. */
final class ScaleCsv {

    private ScaleCsv() {
    }

    static String text(Figures figures) {
        StringBuilder text = new StringBuilder("growth,contender,size," + Arrays.stream(Measure.values()).map(Measure::id)
                .collect(Collectors.joining(",")) + "\n");
        for (Growth growth : ScalePart.GROWTHS) {
            for (Kind kind : growth.kinds()) {
                for (int size : growth.sizes(kind)) {
                    String name = ScalePart.name(growth, kind, size);
                    text.append(growth.id()).append(',').append(kind.id()).append(',').append(size).append(',')
                            .append(Arrays.stream(Measure.values()).map(measure -> figures.text(name + "." + measure.id()))
                                    .collect(Collectors.joining(",")))
                            .append('\n');
                }
            }
        }
        return text.toString();
    }
}
