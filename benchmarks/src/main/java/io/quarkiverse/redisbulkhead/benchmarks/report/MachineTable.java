package io.quarkiverse.redisbulkhead.benchmarks.report;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;

/** On what was measured. */
final class MachineTable {

    private MachineTable() {
    }

    static String markdown(Figures figures) {
        return """
                | | |
                |---|---|
                | date | %s |
                | processor | %s |
                | memory | %s |
                | system | %s |
                | JVM | %s |
                | server | %s |
                | Redisson | %s |
                | Vert.x Redis client | %s |
                """.formatted(figures.text("machine.date"), figures.text("machine.processor"), figures.text("machine.memory"),
                figures.text("machine.system"), figures.text("machine.java"), figures.text("machine.redis"),
                figures.text("machine.redisson"), figures.text("machine.vertx"));
    }
}
