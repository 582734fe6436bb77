package io.quarkiverse.redisbulkhead.reference;

/** Told by a semaphore before each of its round trips; a test may hold the caller there. */
@FunctionalInterface
public interface Checkpoint {

    /** Stops no client. */
    Checkpoint NONE = next -> {
    };

    /**
     * Called by the thread that uses the semaphore.
     *
     * @param next what it is going to send
     */
    void before(RoundTrip next);
}
