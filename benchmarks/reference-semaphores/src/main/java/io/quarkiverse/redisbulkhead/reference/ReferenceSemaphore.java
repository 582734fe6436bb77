package io.quarkiverse.redisbulkhead.reference;

import java.util.Optional;

/** A counting semaphore of the old texts, as one client uses it. For use by one thread. */
public interface ReferenceSemaphore {

    /**
     * Makes one attempt.
     *
     * @return the permit's identifier; empty when rejected
     */
    Optional<String> acquire();

    /**
     * Gives a permit back.
     *
     * @param identifier the permit
     * @return {@code false} when it was not there any more
     */
    boolean release(String identifier);

    /**
     * How many attempts were rejected before they looked at the permits.
     *
     * @return a count that only grows
     */
    default long rejectedUnseen() {
        return 0;
    }
}
