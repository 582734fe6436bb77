package io.quarkiverse.redisbulkhead.faults.harness;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.testredis.RedisExecutable;

/**
 * The time of day that a process sees, as an offset from the true one, which may change while the process runs. Only the time
 * of day is faked, not the clock that timers go by. It needs libfaketime.
 */
public final class FakeClock {

    private static final String MISSING = "libfaketime is not installed, so no clock can be wrong"
            + " (Debian: apt-get install libfaketime)";

    private final Path library;
    private final Path file;

    /** Keeps an offset such as {@code +1h} in a file. Skips the test if libfaketime is unavailable. */
    public FakeClock(Path file, String offset) {
        Optional<Path> found = library();
        assume(found.isPresent(), MISSING);
        this.library = found.orElseThrow();
        this.file = file.toAbsolutePath();
        jumpTo(offset);
    }

    private static Optional<Path> library() {
        try (Stream<Path> folders = Files.list(Path.of("/usr/lib"))) {
            return folders.map(folder -> folder.resolve("faketime").resolve("libfaketimeMT.so.1")).filter(Files::exists)
                    .findFirst();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // Also on the console, which does not show the reason of a skipped test.
    private static void assume(boolean condition, String otherwise) {
        if (!condition) {
            System.err.println("Skipped: " + otherwise);
        }
        assumeTrue(condition, otherwise);
    }

    /** Changes the offset; it takes effect within a second. */
    public void jumpTo(String offset) {
        try {
            Files.createDirectories(file.getParent());
            Path next = file.resolveSibling(file.getFileName() + ".next");
            Files.writeString(next, offset + "\n");
            // The process must not read an incomplete file.
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Environment variables for the process. Without the last one, waiting threads spin. */
    public Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "FAKETIME_TIMESTAMP_FILE", file.toString(),
                "FAKETIME_CACHE_DURATION", "1", "DONT_FAKE_MONOTONIC", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                "FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }

    /** Skips the test if the server does not run with libfaketime, like some that use jemalloc. */
    public void assumeThatRedisRunsWithIt() {
        assume(runs(RedisExecutable.path().toString(), "--version"),
                RedisExecutable.path() + " does not run with libfaketime, so its clock cannot be wrong");
    }

    private boolean runs(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment());
        try {
            Process process = builder.start();
            boolean ended = process.waitFor(20, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
