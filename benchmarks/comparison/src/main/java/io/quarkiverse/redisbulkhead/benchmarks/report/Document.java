package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page some parts of which are generated: each is between two markers. */
final class Document {

    private final Path page;

    Document(Path page) {
        this.page = page;
    }

    /** Puts a text in the place of the one that is there. */
    void replace(String part, String text) throws IOException {
        String before = Files.readString(page);
        String begin = "// " + part + "\n";
        String end = "// end of " + part + "\n";
        int from = before.indexOf(begin);
        int to = before.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalStateException(page + " has no place between " + begin.strip() + " and " + end);
        }
        Files.writeString(page, before.substring(0, from + begin.length()) + "\n" + text + "\n" + before.substring(to));
    }
}
