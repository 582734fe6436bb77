package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.PermitLost;

/** Guarantee 6: each loss is logged with its reason. Trap 17: so is a deadlocked nested call. */
class PermitLoggerTest {

    final Logger logger = Logger.getLogger(PermitLogger.class.getName());
    final List<LogRecord> lines = new ArrayList<>();
    final Handler handler = new Handler() {

        @Override
        public void publish(LogRecord line) {
            lines.add(line);
        }

        @Override
        public void flush() {
            // Unbuffered.
        }

        @Override
        public void close() {
            // Nothing to close.
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void stop() {
        logger.setUseParentHandlers(true);
        logger.removeHandler(handler);
    }

    @ParameterizedTest
    @EnumSource
    void lossesAreWarnings(PermitLost.Reason reason) {
        new PermitLogger().lost(new PermitLost("reports", Optional.empty(), "id-1", 7, "A#a", reason));

        assertThat(lines).singleElement().satisfies(line -> {
            assertThat(line.getLevel().intValue()).isEqualTo(Level.WARNING.intValue());
            assertThat(text(line)).contains("A#a", "reports", "id-1", "7").doesNotContain("null");
        });
    }

    @Test
    void nestedDeadlockIsAWarningOncePerMethod() {
        PermitLogger permits = new PermitLogger();
        for (String method : List.of("A#a", "A#b", "A#a")) {
            permits.nestedCallRejected(method, new NestedCallRejectedException("reports", Optional.empty(), 1, 1, 1,
                    Duration.ZERO));
        }

        assertThat(lines).hasSize(2).allSatisfy(line -> {
            assertThat(line.getLevel().intValue()).isEqualTo(Level.WARNING.intValue());
            assertThat(text(line)).contains("retrying does not help", "it needs the only permit, and the guarded calls");
        });
        assertThat(lines).extracting(PermitLoggerTest::text).satisfiesExactly(first -> assertThat(first).contains("A#a"),
                second -> assertThat(second).contains("A#b"));
    }

    /** Generated classes may have many methods. */
    @Test
    void numberOfWarningsIsBounded() {
        PermitLogger permits = new PermitLogger();
        for (int i = 0; i < 2_000; i++) {
            permits.nestedCallRejected("A#" + i, new IllegalStateException("full"));
        }

        assertThat(lines).hasSize(1_000);
    }

    // Some log managers format in the record, some in the handler.
    private static String text(LogRecord line) {
        return line.getMessage() + Arrays.toString(line.getParameters() == null ? new Object[0] : line.getParameters());
    }
}
