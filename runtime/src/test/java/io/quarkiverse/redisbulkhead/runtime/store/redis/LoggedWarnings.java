package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Records the warnings and other messages that a class logs, and keeps them from being printed. */
final class LoggedWarnings extends Handler implements AutoCloseable {

    private final List<String> texts = new CopyOnWriteArrayList<>();
    private final List<String> infos = new CopyOnWriteArrayList<>();
    private final Logger logger;

    LoggedWarnings(Class<?> of) {
        logger = Logger.getLogger(of.getName());
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    List<String> texts() {
        return texts;
    }

    List<String> infos() {
        return infos;
    }

    @Override
    public void publish(LogRecord message) {
        boolean isWarning = message.getLevel().intValue() >= Level.WARNING.intValue();
        (isWarning ? texts : infos).add(message.getMessage());
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
