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

    /** Writes the file of a part, beside those of the runs before. */
    public void save(Path folder, String part) throws IOException {
        Files.createDirectories(folder);
        List<String> lines = values.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue()).toList();
        int run = 1;
        while (Files.exists(file(folder, part, run))) {
            run++;
        }
        Files.write(file(folder, part, run), lines);
    }

    private static Path file(Path folder, String part, int run) {
        return folder.resolve(part + "-" + run + EXTENSION);
    }

    /** The figures of each run; without those of parts that it did not measure. */
    public static List<Figures> load(Path folder) throws IOException {
        Map<Integer, Figures> runs = new TreeMap<>();
        List<Path> parts;
        try (Stream<Path> files = Files.list(Files.createDirectories(folder))) {
            parts = files.filter(file -> file.toString().endsWith(EXTENSION)).sorted().toList();
        }
        for (Path part : parts) {
            String name = part.getFileName().toString();
            int run = Integer.parseInt(name.substring(name.lastIndexOf('-') + 1, name.length() - EXTENSION.length()));
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(part)) {
                properties.load(reader);
            }
            Figures figures = runs.computeIfAbsent(run, number -> new Figures());
            properties.forEach((figure, value) -> figures.put((String) figure, (String) value));
        }
        return List.copyOf(runs.values());
    }

    /** The median of each number, and each text of the first run that has it. */
    public static Figures median(List<Figures> runs) {
        Figures medians = new Figures();
        for (Figures run : runs) {
            run.values.forEach(medians.values::putIfAbsent);
        }
        for (String name : medians.values.keySet()) {
            double[] numbers = runs.stream().filter(run -> run.isNumber(name))
                    .mapToDouble(run -> run.number(name).orElseThrow())
                    .sorted().toArray();
            if (numbers.length > 0) {
                medians.put(name, median(numbers));
            }
        }
        return medians;
    }

    /**
     * The median.
     *
     * @param sorted at least one number, ascending
     */
    public static double median(double[] sorted) {
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    private boolean isNumber(String name) {
        return values.getOrDefault(name, "").matches("-?\\d+\\.\\d+(E-?\\d+)?");
    }
}
