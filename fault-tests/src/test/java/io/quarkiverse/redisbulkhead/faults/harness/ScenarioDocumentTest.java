package io.quarkiverse.redisbulkhead.faults.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

/** The document has all scenarios, with what was expected of them, and no others. */
class ScenarioDocumentTest {

    private static final Path DOCUMENT = Path.of("..", "docs", "faults.md");
    private static final String PACKAGE = "io.quarkiverse.redisbulkhead.faults.scenarios";

    @Test
    void theTableIsThatOfTheScenarios() throws Exception {
        List<String> written = new ArrayList<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            String[] cells = line.split(" \\| ");
            if (cells.length == 8 && !cells[0].equals("| fault")) {
                written.add(cells[0].substring(2) + " | " + cells[1] + " | " + cells[2]);
            }
        }
        assertThat(new TreeSet<>(written)).as("%s, which ./mvnw verify -Pfaults writes", DOCUMENT)
                .isEqualTo(scenarios().stream().flatMap(scenario -> List.of(scenario.stores()).stream()
                        .map(store -> scenario.value() + " | " + scenario.expected() + " | " + store.configured()))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void namesAreUnique() throws Exception {
        assertThat(scenarios()).extracting(Scenario::value).doesNotHaveDuplicates();
    }

    private static List<Scenario> scenarios() throws IOException, ClassNotFoundException {
        List<Scenario> all = new ArrayList<>();
        try (DirectoryStream<Path> classes = Files.newDirectoryStream(
                Path.of("target", "test-classes", PACKAGE.replace('.', '/')), "*Test.class")) {
            for (Path file : classes) {
                Class<?> test = Class.forName(PACKAGE + "." + file.getFileName().toString().replace(".class", ""));
                for (Method method : test.getDeclaredMethods()) {
                    if (method.isAnnotationPresent(Scenario.class)) {
                        all.add(method.getAnnotation(Scenario.class));
                    }
                }
            }
        }
        assertThat(all).isNotEmpty();
        return all;
    }
}
