package io.quarkiverse.redisbulkhead.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;

/** The classes that the extension loads during start-up: a measure that does not depend on the machine. */
class StartUpIT extends ProcessTestBase {

    private static final String OWN = "io.quarkiverse.redisbulkhead.";
    private static final int MOST_CLASSES = 160;
    private static final int MOST_LAMBDAS = 10;

    @TempDir
    Path folder;

    @Test
    void loadsFewClassesAndNoneThatCallsNeed() throws IOException {
        assumeFalse(SampleProcess.isNative(), "a native executable loads no classes");
        Path log = folder.resolve("classes.log");
        // Disabled bulkheads are defined and checked like others, but nothing connects when the application has started.
        start(Map.of("quarkus.redis-bulkhead.enabled", "false"),
                Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load=info:file=" + log + ":none")).awaitListening();

        List<String> own = Files.readAllLines(log).stream().map(line -> line.split("[ /]")[0])
                .filter(name -> name.startsWith(OWN) && !name.startsWith(OWN + "sample.")).toList();
        assertThat(own).as("classes of a call").noneMatch(name -> name.startsWith(OWN + "runtime.store.redis.")
                || name.endsWith(".ShareSync") || name.endsWith(".PendingCall") || name.endsWith(".Overview"));
        assertThat(own.stream().filter(name -> name.contains("$$Lambda"))).as("lambdas").hasSizeLessThanOrEqualTo(MOST_LAMBDAS);
        assertThat(own).as("classes").hasSizeLessThanOrEqualTo(MOST_CLASSES);
    }
}
