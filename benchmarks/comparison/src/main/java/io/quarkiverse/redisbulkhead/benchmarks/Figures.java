package io.quarkiverse.redisbulkhead.benchmarks;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What was measured: numbers and a few texts, by names such as {@code load.64-blocking.script.redis-cpu}. Each part of the
 * benchmarks leaves a file with its own in a folder, so that one part can be measured again without the others.
 */
public final class Figures {

    private static final String EXTENSION = ".properties";

    private final Map<String, String> values = new TreeMap<>();

    /** Adds a number. */
    public void put(String name, double value) {
        values.put(name, Double.toString(value));
    }

    /** Adds a text. */
    public void put(String name, String value) {
        values.put(name, value);
    }

    /** The number of that name; empty when it was not measured. */
    public OptionalDouble number(String name) {
        String value = values.get(name);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(value));
    }

    /** The text of that name; or a dash. */
    public String text(String name) {
        return values.getOrDefault(name, "-");
    }

    /** Whether nothing was measured. */
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Writes the file of a part. */
    public void save(Path folder, String part) throws IOException {
        Files.createDirectories(folder);
        List<String> lines = values.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue()).toList();
        Files.write(folder.resolve(part + EXTENSION), lines);
    }

    /** The figures of all parts that have left some. */
    public static Figures load(Path folder) throws IOException {
        Figures figures = new Figures();
        List<Path> parts;
        try (Stream<Path> files = Files.list(Files.createDirectories(folder))) {
            parts = files.filter(file -> file.toString().endsWith(EXTENSION)).sorted().toList();
        }
        for (Path part : parts) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(part)) {
                properties.load(reader);
            }
            properties.forEach((name, value) -> figures.put((String) name, (String) value));
        }
        return figures;
    }
}
