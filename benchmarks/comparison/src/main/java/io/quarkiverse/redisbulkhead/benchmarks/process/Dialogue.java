package io.quarkiverse.redisbulkhead.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;

/** Lines between two processes. Others, such as those of a log, are skipped. */
public final class Dialogue {

    private static final String MARK = "> ";

    private final BufferedReader from;
    private final PrintWriter to;

    Dialogue(BufferedReader from, PrintWriter to) {
        this.from = from;
        this.to = to;
    }

    /** Sends a line. */
    public void send(String line) {
        to.println(MARK + line);
        to.flush();
    }

    /** Waits for the next line; empty if the other process has ended. */
    public Optional<String> next() throws IOException {
        for (String line = from.readLine(); line != null; line = from.readLine()) {
            if (line.startsWith(MARK)) {
                return Optional.of(line.substring(MARK.length()));
            }
        }
        return Optional.empty();
    }

    /** Waits for the next line of a process that has to send one. */
    public String answer() throws IOException {
        return next().orElseThrow(() -> new IllegalStateException("The other process has ended without an answer"));
    }
}
