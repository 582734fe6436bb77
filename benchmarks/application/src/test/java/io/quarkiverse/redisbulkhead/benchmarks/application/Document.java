package io.quarkiverse.redisbulkhead.benchmarks.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The page about this. Each table is between two markers. */
final class Document {

    private static final Path PAGE = Path.of(System.getProperty("benchmarks.document"));

    private Document() {
    }

    /** Puts a table in the place of the one that is there. */
    static void write(String table, String text) throws IOException {
        String page = Files.readString(PAGE);
        String begin = "// " + table + "\n";
        String end = "// end of " + table + "\n";
        assertThat(page).contains(begin, end);
        Files.writeString(PAGE, page.substring(0, page.indexOf(begin) + begin.length()) + "\n" + text.replace("\r", "") + "\n"
                + page.substring(page.indexOf(end)));
    }
}
