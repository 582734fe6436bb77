package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A Markdown table for the console and the documentation. */
final class MarkdownTable {

    private final List<String> lines = new ArrayList<>();

    MarkdownTable(String... columns) {
        row((Object[]) columns);
        lines.add("|" + "---|".repeat(columns.length));
    }

    void row(Object... cells) {
        lines.add(Arrays.stream(cells).map(String::valueOf).collect(Collectors.joining(" | ", "| ", " |")));
    }

    void publish(Path file) {
        String text = this + "\n";
        System.out.println(text);
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
