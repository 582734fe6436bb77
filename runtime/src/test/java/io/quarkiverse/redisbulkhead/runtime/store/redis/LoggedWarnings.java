package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;

/** Records the warnings and other messages that a class logs, and keeps them from being printed. */
public final class LoggedWarnings extends Handler implements AutoCloseable {

    private final List<String> texts = new CopyOnWriteArrayList<>();
    private final List<String> infos = new CopyOnWriteArrayList<>();
    private final Logger logger;

    /** Begins. */
    public LoggedWarnings(Class<?> of) {
        this(of.getName());
    }

    /** Begins, with all levels of this category. */
    LoggedWarnings(String category) {
        logger = Logger.getLogger(category);
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    /** The warnings. */
    public List<String> texts() {
        return texts;
    }

    /** The other messages. */
    public List<String> infos() {
        return infos;
    }

    @Override
    public void publish(LogRecord message) {
        boolean isWarning = message.getLevel().intValue() >= Level.WARNING.intValue();
        (isWarning ? texts : infos).add(Arrays.stream(message.getParameters() == null ? new Object[0] : message.getParameters())
                .map(String::valueOf)
                .reduce(message.getMessage(), (text, value) -> text.replaceFirst("%[sd]", Matcher.quoteReplacement(value)))
                + printed(message.getThrown()));
    }

    /** A failure with its causes; empty for none. */
    static String printed(Throwable failure) {
        StringWriter text = new StringWriter();
        if (failure != null) {
            failure.printStackTrace(new PrintWriter(text));
        }
        return text.toString();
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
