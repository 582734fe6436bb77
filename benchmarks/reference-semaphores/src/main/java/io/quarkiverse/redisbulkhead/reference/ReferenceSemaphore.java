package io.quarkiverse.redisbulkhead.reference;

import java.util.Optional;

/** A counting semaphore of the book, for one client and one thread. */
public interface ReferenceSemaphore {

    /**
     * Makes one attempt to acquire a permit.
     *
     * @return the permit's identifier; empty when rejected
     */
    Optional<String> acquire();

    /**
     * Releases a permit.
     *
     * @param identifier the permit
     * @return {@code false} when it was lost before
     */
    boolean release(String identifier);
}
