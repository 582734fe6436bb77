package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;

/**
 * Classes with mistakes of one kind, and the errors that the build reports for them. One application has those of all kinds, so
 * no two kinds may use the same name of a bulkhead.
 *
 * @param owner the class that contains them; errors are compared without its name
 * @param classes the classes of the application
 * @param lines all expected errors, in order
 */
record Mistakes(Class<?> owner, Class<?>[] classes, String... lines) {

    String prefix() {
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
