package io.quarkiverse.redisbulkhead.testredis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;

/**
 * Collects what a logger and those below it log from now on, of a level and above. Unless it is the root, it prints nothing
 * meanwhile: tests provoke warnings.
 */
public final class CapturedLog extends Handler implements AutoCloseable {

    private final List<ExtLogRecord> records = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final Level least;

    public CapturedLog(String name, Level least) {
        this.logger = Logger.getLogger(name);
        this.least = least;
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    public CapturedLog(Class<?> logging) {
        this(logging.getName(), Level.ALL);
    }

    public List<ExtLogRecord> records() {
        return records;
    }

    public List<String> texts() {
        return records.stream().map(ExtLogRecord::getFormattedMessage).toList();
    }

    @Override
    public void publish(LogRecord line) {
        if (line.getLevel().intValue() >= least.intValue()) {
            records.add(ExtLogRecord.wrap(line));
        }
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
