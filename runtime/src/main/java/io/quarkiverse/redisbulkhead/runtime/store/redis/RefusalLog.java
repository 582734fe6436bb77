package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jboss.logging.Logger;

/**
 * Says why Redis refuses commands; one line for many calls, because whoever runs the application needs the reason
 * only once.
 */
final class RefusalLog {

    private static final Logger LOG = Logger.getLogger(RefusalLog.class);

    private static final long GAP_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicLong next = new AtomicLong(System.nanoTime());

    void log(String about, String explanation) {
        long due = next.get();
        long now = System.nanoTime();
        if (now - due >= 0 && next.compareAndSet(due, now + GAP_NANOS)) {
            LOG.errorf("Redis refused a command (%s). %s", about, explanation);
        }
    }
}
