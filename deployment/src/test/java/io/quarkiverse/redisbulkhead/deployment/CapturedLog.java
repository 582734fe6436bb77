package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects what a class logs and keeps it from being printed, for tests that provoke warnings. */
public final class CapturedLog extends Handler implements AutoCloseable {

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Logger logger;

    public CapturedLog(Class<?> logging) {
        logger = Logger.getLogger(logging.getName());
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    public List<LogRecord> records() {
        return records;
    }

    @Override
    public void publish(LogRecord line) {
        records.add(line);
    }

    @Override
    public void flush() {
        // Unbuffered.
    }

    @Override
    public void close() {
        logger.setUseParentHandlers(true);
        logger.removeHandler(this);
    }
}
