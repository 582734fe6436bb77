package io.quarkiverse.redisbulkhead.benchmarks.report;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;

/** How long hand-overs take. */
final class HandOverTable {

    private HandOverTable() {
    }

    static String markdown(Figures figures) {
        return "| | p50 | p99 | measured |\n|---|---:|---:|---:|\n"
                + row(figures, "a `PING` by a blocking caller", HandOverPart.ROUND_TRIP)
                + row(figures, "from release to the next fair waiter in another process", HandOverPart.NEXT_WAITER);
    }

    private static String row(Figures figures, String title, String name) {
        return "| " + title + " | " + Numbers.time(figures.number(name + ".p50")) + " | "
                + Numbers.time(figures.number(name + ".p99")) + " | " + Numbers.text(figures.number(name + ".count")) + " |\n";
    }
}
