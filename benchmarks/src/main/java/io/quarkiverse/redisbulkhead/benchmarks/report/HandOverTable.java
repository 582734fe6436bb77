package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;

/** How long hand-overs take. */
final class HandOverTable {

    private HandOverTable() {
    }

    static String asciidoc(Figures figures) {
        return Table.ofNumbers("", "p50", "p99", "measured")
                .row(row(figures, "a `PING` by a blocking caller", HandOverPart.ROUND_TRIP))
                .row(row(figures, "from release to the next fair waiter in the same process", HandOverPart.SAME_PROCESS))
                .row(row(figures, "from release to the next fair waiter in another process", HandOverPart.NEXT_WAITER))
                .asciidoc();
    }

    private static List<String> row(Figures figures, String title, String name) {
        return List.of(title, Numbers.time(figures.number(name + ".p50")), Numbers.time(figures.number(name + ".p99")),
                Numbers.text(figures.number(name + ".count")));
    }
}
