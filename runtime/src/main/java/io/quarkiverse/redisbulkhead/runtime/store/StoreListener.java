package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/** Receives the duration of store operations. Must not block. */
@FunctionalInterface
public interface StoreListener {

    /**
     * An operation is over.
     *
     * @param operation which one
     * @param time from the request to the answer
     * @param failure what it failed with; null when the store answered
     */
    void done(StoreOperation operation, Duration time, Throwable failure);
}
