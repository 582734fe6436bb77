package io.quarkiverse.redisbulkhead.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.benchmarks.load.Rounds;

/**
 * What the command line says, by system properties. An empty one counts as unset.
 */
public final class Options {

    /** Where the parts leave their figures. */
    public static final Path FIGURES = Path.of("target", "figures");

    private static final String PREFIX = "benchmarks.";

    private Options() {
    }

    /** Whether something of that name is wanted: all are, unless {@code -Dbenchmarks.KIND=one,other} names some. */
    public static boolean wanted(String kind, String name) {
        String names = text(kind, "");
        return names.isEmpty() || List.of(names.split(",")).contains(name);
    }

    /** Where the report is to be written: {@code -Dbenchmarks.documents}. */
    public static Optional<Path> documents() {
        String folder = text("documents", "");
        return folder.isEmpty() ? Optional.empty() : Optional.of(Path.of(folder));
    }

    /** The rounds that are asked for by {@code -Dbenchmarks.rounds} and the like, or else these. */
    public static Rounds rounds(Rounds standard) {
        return new Rounds(Integer.parseInt(text("rounds", Integer.toString(standard.number()))),
                millis("round-millis", standard.length()), millis("warm-up-millis", standard.warmUp()));
    }

    private static Duration millis(String name, Duration standard) {
        return Duration.ofMillis(Long.parseLong(text(name, Long.toString(standard.toMillis()))));
    }

    private static String text(String name, String standard) {
        String value = System.getProperty(PREFIX + name, "");
        return value.isEmpty() ? standard : value;
    }
}
