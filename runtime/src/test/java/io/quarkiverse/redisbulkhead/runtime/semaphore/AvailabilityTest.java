package io.quarkiverse.redisbulkhead.runtime.semaphore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

class AvailabilityTest {

    final List<LogRecord> records = new ArrayList<>();
    final Logger logger = Logger.getLogger(Availability.class.getName());
    final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            records.add(entry);
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
    }

    @Test
    void contentionIsAnAnswer() {
        Availability availability = new Availability();
        availability.notice(new StoreContendedException("too many"));
        assertThat(records).isEmpty();

        availability.notice(new StoreException("no answer", true, null));
        assertThat(records).hasSize(1);
        availability.notice(new StoreContendedException("too many"));
        assertThat(records).hasSize(2);
        assertThat(records.get(1).getMessage()).contains("answers again");
    }
}
