package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** Settings of the build that only a full build would show to be wrong. */
class BuildSettingsTest {

    /** Trap 55: with the first compiler tier alone, the default is 48 MB, which the plugins of all modules exceed. */
    @Test
    void buildHasEnoughCodeCache() throws IOException {
        Matcher size = Pattern.compile("-XX:ReservedCodeCacheSize=(\\d+)m")
                .matcher(Files.readString(Path.of("..", ".mvn", "jvm.config")));

        assertThat(size.find()).as("a size in MB").isTrue();
        assertThat(Integer.parseInt(size.group(1))).isGreaterThanOrEqualTo(256);
    }
}
