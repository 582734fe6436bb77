package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Guarantee 6: each loss is logged with its reason. Trap 17: so is a deadlocked nested call. Trap 19: so are different limits.
 */
class PermitLoggerTest extends TwoInstances {

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
            assertThat(String.format(line.getMessage(), line.getParameters())).endsWith(
                    ". See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/log-messages.html#permit-lost");
        });
    }

    @Test
    void nestedDeadlockIsAWarningOncePerMethod() {
        PermitLogger permits = new PermitLogger();
        for (String method : List.of("A#a", "A#b", "A#a")) {
            permits.nestedCallRejected(method, CallRejectedException.nested(1, 1, "reports", Optional.empty(), 1,
                    Duration.ZERO));
        }

        assertThat(lines).hasSize(2).allSatisfy(line -> {
            assertThat(line.getLevel().intValue()).isEqualTo(Level.WARNING.intValue());
            assertThat(text(line)).contains("retrying does not help", "it needs the only permit, and the guarded calls");
        });
        assertThat(lines).extracting(PermitLoggerTest::text).satisfiesExactly(first -> assertThat(first).contains("A#a"),
                second -> assertThat(second).contains("A#b"));
    }

    @Test
    void differentLimitsAreAWarningOncePerBulkheadAndSetOfLimits() {
        PermitLogger permits = new PermitLogger();
        for (int i = 0; i < 10; i++) {
            permits.limitsDiffer(BulkheadId.of("reports"), 5, Set.of(10));
            permits.limitsDiffer(BulkheadId.of("exports"), 5, Set.of(10));
        }
        assertThat(lines).hasSize(2).extracting(PermitLoggerTest::text)
                .allSatisfy(line -> assertThat(line).contains("5", "10"));

        permits.limitsDiffer(BulkheadId.of("reports"), 5, Set.of(10, 20));
        assertThat(lines).as("the limits have changed").hasSize(3);
    }

    /** Trap 21: a million keys may each have a different limit. */
    @Test
    void differentLimitsOfKeysAreLoggedOnceForAllKeys() {
        PermitLogger permits = new PermitLogger();
        for (int i = 0; i < 10; i++) {
            permits.limitsDiffer(BulkheadId.of("tenants").forKey("secret " + i), 2, Set.of(20 + i));
        }
        assertThat(lines).singleElement()
                .satisfies(line -> assertThat(text(line)).contains("tenants").doesNotContain("secret"));

        permits.limitsDiffer(BulkheadId.of("others").forKey("a"), 2, Set.of(20));
        assertThat(lines).hasSize(2);
    }

    @Test
    void instancesWithDifferentLimitsAreFound() {
        PermitLogger permits = new PermitLogger();
        one.events = permits;
        two.events = permits;
        for (int i = 0; i < 10; i++) {
            call(one, work(5)).end();
            call(two, work(6)).end();
            advance(Duration.ofSeconds(5));
        }

        assertThat(lines).isNotEmpty().extracting(PermitLoggerTest::text)
                .allSatisfy(line -> assertThat(line).contains("work", "5", "6"));
    }

    // Some log managers format in the record, some in the handler.
    private static String text(LogRecord line) {
        return line.getMessage() + Arrays.toString(line.getParameters() == null ? new Object[0] : line.getParameters());
    }
}
