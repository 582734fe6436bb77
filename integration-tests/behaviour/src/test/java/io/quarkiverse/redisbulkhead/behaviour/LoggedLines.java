package io.quarkiverse.redisbulkhead.behaviour;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;

/** Collects what a logger and those below it log from now on, of a level and above. */
final class LoggedLines extends Handler {

    private final List<String> all = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final Level least;

    LoggedLines(String logger, Level least) {
        this.logger = Logger.getLogger(logger);
        this.least = least;
        this.logger.addHandler(this);
    }

    List<String> all() {
        return all;
    }

    @Override
    public void publish(LogRecord line) {
        if (line.getLevel().intValue() >= least.intValue()) {
            all.add(((ExtLogRecord) line).getFormattedMessage());
        }
    }

    @Override
    public void flush() {
        // Unbuffered.
    }

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
