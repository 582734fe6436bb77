package io.quarkiverse.redisbulkhead.benchmarks.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Other processes of the same Java. */
final class Java {

    private static final int LONGEST_MINUTES = 10;

    private Java() {
    }

    static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Runs a command, and fails with what it wrote if it fails. */
    static void run(List<String> command) throws IOException, InterruptedException {
        Path output = Path.of("target", "process.log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertThat(process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).as(() -> text(output)).isTrue();
            assertThat(process.exitValue()).as(() -> text(output)).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
