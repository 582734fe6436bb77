package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/** Places that concatenate strings through {@code invokedynamic} generate classes when they first run: 80 in the first call. */
class StringConcatenationTest {

    @Test
    void generatesNoClasses() throws Exception {
        Path classes = Path.of(BulkheadId.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            List<Path> all = files.filter(file -> file.toString().endsWith(".class")).toList();
            assertThat(all).hasSizeGreaterThan(100).noneMatch(StringConcatenationTest::concatenatesDynamically);
        }
    }

    private static boolean concatenatesDynamically(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains("makeConcatWithConstants");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
