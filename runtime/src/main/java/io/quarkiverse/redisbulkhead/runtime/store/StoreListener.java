package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/** Is told how long a store takes to answer. It must not block. */
@FunctionalInterface
public interface StoreListener {

    /**
     * An operation is over.
     *
     * @param operation which one
     * @param time from the question to the answer
     * @param failure what it failed with; null when the store answered
     */
    void done(StoreOperation operation, Duration time, Throwable failure);
}
