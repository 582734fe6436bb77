package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;

/** On what was measured. */
final class MachineTable {

    private MachineTable() {
    }

    static String asciidoc(Figures figures) {
        Table table = Table.ofTexts("", "");
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put("date", "machine.date");
        rows.put("processor", "machine.processor");
        rows.put("memory", "machine.memory");
        rows.put("system", "machine.system");
        rows.put("load average before", "machine.load");
        rows.put("JVM", "machine.java");
        rows.put("server", "machine.redis");
        rows.put("Redisson", "machine.redisson");
        rows.put("Vert.x Redis client", "machine.vertx");
        rows.forEach((title, name) -> table.row(title, figures.text(name)));
        return table.asciidoc();
    }
}
