package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/** What is written about each bulkhead, over all places of the application. */
public final class Definitions {

    /**
     * What one place says.
     *
     * @param place the class or method
     * @param bulkhead what its annotation says
     */
    public record Definition(String place, WrittenBulkhead bulkhead) {
    }

    private final SortedMap<String, List<Definition>> byName = new TreeMap<>();

    Definitions(List<AnnotatedElement> elements) {
        for (AnnotatedElement element : elements) {
            for (WrittenBulkhead bulkhead : element.bulkheads()) {
                if (isName(bulkhead.name())) {
                    byName.computeIfAbsent(bulkhead.name(), name -> new ArrayList<>())
                            .add(new Definition(element.place(), bulkhead));
                }
            }
        }
        byName.values().forEach(definitions -> definitions.sort((a, b) -> a.place().compareTo(b.place())));
    }

    private static boolean isName(String name) {
        try {
            SemaphoreSpec.named(name);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * The definitions by name, without those whose name is not valid.
     *
     * @return in alphabetical order
     */
    public SortedMap<String, List<Definition>> byName() {
        return Collections.unmodifiableSortedMap(byName);
    }

    /**
     * Where the definitions stand.
     *
     * @param definitions some definitions
     * @return their places, each once
     */
    public static List<String> places(List<Definition> definitions) {
        return definitions.stream().map(Definition::place).distinct().toList();
    }
}
