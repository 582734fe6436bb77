package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;

/** How long hand-overs take. */
final class HandOverTable {

    private HandOverTable() {
    }

    static String asciidoc(Figures figures) {
        return Table.ofNumbers("", "p50, µs", "p99, µs", "measured")
                .row(row(figures, "`PING` by a blocking caller", HandOverPart.ROUND_TRIP))
                .row(row(figures, "to a waiter in the same process", HandOverPart.SAME_PROCESS))
                .row(row(figures, "to a waiter in another process", HandOverPart.NEXT_WAITER))
                .asciidoc();
    }

    private static List<String> row(Figures figures, String title, String name) {
        return List.of(title, Numbers.text(figures.number(name + ".p50")), Numbers.text(figures.number(name + ".p99")),
                Numbers.text(figures.number(name + ".count")));
    }
}
