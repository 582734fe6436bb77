package io.quarkiverse.redisbulkhead.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Trap 27: the native executable and the class path contain the scripts. */
class NativeResourcesTest {

    private static final String FOLDER = "io/quarkiverse/redisbulkhead/runtime/store/redis/";

    @Test
    void registersEveryScript() throws IOException {
        List<Pattern> patterns = new RedisBulkheadProcessor().scripts().getIncludePatterns().stream().map(Pattern::compile)
                .toList();

        List<String> scripts = scripts();
        assertThat(scripts)
                .containsExactly("share.lua")
                .allSatisfy(script -> {
                    assertThat(patterns).anySatisfy(pattern -> assertThat(FOLDER + script).matches(pattern));
                    try (InputStream text = Thread.currentThread().getContextClassLoader()
                            .getResourceAsStream(FOLDER + script)) {
                        assertThat(text).as(script).isNotNull();
                    }
                });
    }

    private static List<String> scripts() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..", "runtime", "src", "main", "resources").resolve(FOLDER))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
