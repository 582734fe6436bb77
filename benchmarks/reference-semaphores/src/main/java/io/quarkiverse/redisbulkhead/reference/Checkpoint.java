package io.quarkiverse.redisbulkhead.reference;

/** Called by a semaphore before each of its round trips; a test may block the caller there. */
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
