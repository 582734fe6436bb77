package io.quarkiverse.redisbulkhead.runtime.store.originals;

/** Told by a semaphore before each of its round trips; a test may hold the caller there. */
@FunctionalInterface
interface Checkpoint {

    Checkpoint NONE = next -> {
    };

    void before(RoundTrip next);
}
