package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import jakarta.enterprise.inject.spi.DefinitionException;

/**
 * Classes with mistakes of one kind, and the errors that the build reports for them. One application has those of all kinds, so
 * no two kinds may use the same name of a bulkhead. The formatter is off for the classes: with a method in each line, they read
 * as a table.
 *
 * @param owner the class that contains them; errors are compared without its name
 * @param classes the classes of the application
 * @param lines all expected errors, in order
 */
record Mistakes(Class<?> owner, Class<?>[] classes, String... lines) {

    /** Returns the errors of a report. It counts them, and its end says where they are explained. */
    static List<String> reportedBy(Throwable thrown) {
        assertThat(thrown).isInstanceOf(DefinitionException.class);
        List<String> errors = thrown.getMessage().lines().filter(line -> line.matches(" +\\d+\\. RBH.*"))
                .map(line -> line.replaceFirst(" +\\d+\\. ", "")).toList();
        assertThat(thrown).hasMessageMatching("(?s)Found " + errors.size()
                + " mistakes in the use or configuration of @RedisBulkhead:\n  1[.].*\nSee https://.*");
        return errors;
    }

    private String prefix() {
        return owner.getName() + "$";
    }

    /** Finds its errors in a report of the mistakes of all kinds. Those that name no class are found by their text. */
    List<String> in(List<String> report, List<Mistakes> all) {
        List<String> expected = List.of(lines);
        return report.stream()
                .filter(line -> line.contains(prefix())
                        || expected.contains(line) && all.stream().noneMatch(other -> line.contains(other.prefix())))
                .map(line -> line.replace(prefix(), ""))
                .toList();
    }
}
