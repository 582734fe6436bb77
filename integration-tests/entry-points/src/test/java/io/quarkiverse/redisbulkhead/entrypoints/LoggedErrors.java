package io.quarkiverse.redisbulkhead.entrypoints;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the errors that any class logs. */
final class LoggedErrors extends Handler implements AutoCloseable {

    private final List<String> lines = new CopyOnWriteArrayList<>();

    LoggedErrors() {
        Logger.getLogger("").addHandler(this);
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord line) {
        if (line.getLevel().intValue() >= Level.SEVERE.intValue()) {
            lines.add(line.getLoggerName() + ": " + line.getMessage());
        }
    }

    @Override
    public void flush() {
        // Unbuffered.
    }

    @Override
    public void close() {
        Logger.getLogger("").removeHandler(this);
    }
}
