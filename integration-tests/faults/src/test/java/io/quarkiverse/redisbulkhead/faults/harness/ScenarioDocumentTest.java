package io.quarkiverse.redisbulkhead.faults.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The document lists exactly the scenarios of the code, with their expected results. The run that writes the document
 * excludes this test.
 */
@Tag("document")
class ScenarioDocumentTest {

    private static final Path DOCUMENT = Path.of("../../docs/modules/ROOT/pages/faults.adoc");
    private static final int CELLS = 4;

    @Test
    void tableMatchesTheScenarios() throws IOException {
        Set<String> written = new TreeSet<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            String[] cells = line.split(" \\| ");
            if (cells.length == CELLS && !cells[0].equals("| fault")) {
                for (Store store : Store.values()) {
                    if (!cells[2 + store.ordinal()].equals(ScenarioTable.NOT_RUN)) {
                        written.add(row(cells[0].substring(2), cells[1], store));
                    }
                }
            }
        }
        assertThat(written).as("%s, which ./mvnw verify -Pfaults writes", DOCUMENT)
                .isEqualTo(AllScenarios.find().stream().flatMap(scenario -> Arrays.stream(scenario.stores())
                        .map(store -> row(scenario.value(), scenario.expected(), store)))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static String row(String fault, String expected, Store store) {
        return fault + " | " + expected + " | " + store;
    }

    @Test
    void namesAreUniqueForEachStore() {
        assertThat(AllScenarios.find()).flatMap(scenario -> Arrays.stream(scenario.stores())
                .map(store -> scenario.value() + " | " + store).toList()).doesNotHaveDuplicates();
    }
}
