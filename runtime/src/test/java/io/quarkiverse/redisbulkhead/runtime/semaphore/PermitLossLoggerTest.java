package io.quarkiverse.redisbulkhead.runtime.semaphore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.PermitLost;

/** Guarantee 6: each loss is a line in the log, with its reason. */
class PermitLossLoggerTest {

    final Logger logger = Logger.getLogger(PermitLossLogger.class.getName());
    final List<LogRecord> lines = new ArrayList<>();
    final Handler handler = new Handler() {

        @Override
        public void publish(LogRecord line) {
            lines.add(line);
        }

        @Override
        public void flush() {
            // Everything is in the list at once.
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stop() {
        logger.removeHandler(handler);
    }

    @ParameterizedTest
    @EnumSource
    void eachLossIsAWarning(PermitLost.Reason reason) {
        new PermitLossLogger().lost(new PermitLost("reports", Optional.empty(), "id-1", 7, "A#a", reason));

        assertThat(lines).singleElement().satisfies(line -> {
            assertThat(line.getLevel().intValue()).isEqualTo(Level.WARNING.intValue());
            assertThat(text(line)).contains("A#a", "reports", "id-1", "7").doesNotContain("null");
        });
    }

    // Some log managers format in the record, some in the handler.
    private static String text(LogRecord line) {
        return line.getMessage() + Arrays.toString(line.getParameters() == null ? new Object[0] : line.getParameters());
    }
}
