package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** Whether the store answers; a change is logged once, however many calls see it. Safe for use by many threads. */
final class Availability {

    private static final Logger LOG = Logger.getLogger(Availability.class);

    private final AtomicBoolean away = new AtomicBoolean();

    /**
     * The store was asked.
     *
     * @param failure null when it answered; contention is an answer, too
     */
    void notice(Throwable failure) {
        if (failure == null || StoreFailures.isContention(failure)) {
            if (away.get() && away.compareAndSet(true, false)) {
                LOG.info("Redis answers again; bulkheads go by it");
            }
        } else if (Failures.cause(failure) instanceof StoreException known && away.compareAndSet(false, true)) {
            LOG.warnf("Redis gives no answer, and each bulkhead does what its on-outage says until it does: %s",
                    known.getMessage());
        }
    }
}
