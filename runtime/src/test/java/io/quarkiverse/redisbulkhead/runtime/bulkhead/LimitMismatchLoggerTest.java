package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/** Trap 19: during a rollout instances have different limits; logged once, not with each call. */
class LimitMismatchLoggerTest extends TwoInstances {

    final Logger logger = Logger.getLogger(LimitMismatchLogger.class.getName());
    final List<String> messages = new ArrayList<>();
    final Handler handler = new Handler() {

        @Override
        public void publish(LogRecord line) {
            messages.add(line.getMessage() + List.of(line.getParameters() == null ? new Object[0] : line.getParameters()));
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
    final LimitMismatchLogger mismatches = new LimitMismatchLogger();

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

    @Test
    void warnsOncePerBulkheadAndSetOfLimits() {
        for (int i = 0; i < 10; i++) {
            mismatches.log(new LimitMismatch(BulkheadId.of("reports"), 5, Set.of(10)));
            mismatches.log(new LimitMismatch(BulkheadId.of("exports"), 5, Set.of(10)));
        }
        assertThat(messages).hasSize(2).allSatisfy(line -> assertThat(line).contains("5", "10"));

        mismatches.log(new LimitMismatch(BulkheadId.of("reports"), 5, Set.of(10, 20)));
        assertThat(messages).as("the limits have changed").hasSize(3);
    }

    /** Trap 21: a million keys may each have a different limit. */
    @Test
    void warnsOnceForAllKeysOfABulkhead() {
        for (int i = 0; i < 10; i++) {
            mismatches.log(new LimitMismatch(BulkheadId.of("tenants").forKey("secret " + i), 2, Set.of(20 + i)));
        }
        assertThat(messages).singleElement().asString().contains("tenants").doesNotContain("secret");

        mismatches.log(new LimitMismatch(BulkheadId.of("tenants"), 2, Set.of(20)));
        mismatches.log(new LimitMismatch(BulkheadId.of("others").forKey("a"), 2, Set.of(20)));
        assertThat(messages).hasSize(3);
    }

    @Test
    void instancesWithDifferentLimitsAreFound() {
        for (int i = 0; i < 10; i++) {
            call(one, work(5)).end();
            call(two, work(6)).end();
            advance(Duration.ofSeconds(5));
        }

        assertThat(messages).hasSize(2).allSatisfy(line -> assertThat(line).contains("work", "5", "6"));
    }
}
