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

/** The document has all scenarios, with what was expected of them, and no others. The run that writes it leaves this out. */
@Tag("document")
class ScenarioDocumentTest {

    private static final Path DOCUMENT = Path.of("../docs/modules/ROOT/pages/faults.adoc");
    private static final int CELLS = 8;

    @Test
    void theTableIsThatOfTheScenarios() throws IOException {
        Set<String> written = new TreeSet<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            String[] cells = line.split(" \\| ");
            if (cells.length == CELLS && !cells[0].equals("| fault")) {
                written.add(row(cells[0].substring(2), cells[1], cells[2]));
            }
        }
        assertThat(written).as("%s, which ./mvnw verify -Pfaults writes", DOCUMENT)
                .isEqualTo(AllScenarios.find().stream().flatMap(scenario -> Arrays.stream(scenario.stores())
                        .map(store -> row(scenario.value(), scenario.expected(), store.configured())))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static String row(String fault, String expected, String store) {
        return fault + " | " + expected + " | " + store;
    }

    @Test
    void namesAreUniqueForEachStore() {
        assertThat(AllScenarios.find()).flatMap(scenario -> Arrays.stream(scenario.stores())
                .map(store -> scenario.value() + " | " + store).toList()).doesNotHaveDuplicates();
    }
}
