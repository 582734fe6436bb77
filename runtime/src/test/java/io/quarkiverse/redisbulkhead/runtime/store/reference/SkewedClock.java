package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A wrong clock for a process, by libfaketime. */
final class SkewedClock {

    private static final String MISSING = "libfaketime is not installed, so no clock can be skewed"
            + " (Debian: apt-get install libfaketime)";

    private SkewedClock() {
    }

    /**
     * The environment variables that change only the time of day; skips the test without libfaketime.
     *
     * @param skew the offset, for example {@code +1h}
     */
    static Map<String, String> by(String skew) throws IOException {
        Optional<Path> library = library();
        if (library.isEmpty()) {
            // Also on the console, which shows no reason for skipped tests.
            System.err.println("Skipped: " + MISSING);
        }
        assumeTrue(library.isPresent(), MISSING);
        return Map.of("LD_PRELOAD", library.get().toString(), "FAKETIME", skew, "DONT_FAKE_MONOTONIC", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }

    private static Optional<Path> library() throws IOException {
        Path libraries = Path.of("/usr/lib");
        if (!Files.isDirectory(libraries)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.find(libraries, 4, (path, attributes) -> path.endsWith("libfaketimeMT.so.1"))) {
            return files.findFirst();
        }
    }
}
