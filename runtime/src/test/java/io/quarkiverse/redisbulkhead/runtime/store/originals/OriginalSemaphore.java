package io.quarkiverse.redisbulkhead.runtime.store.originals;

import java.util.Optional;

/** A counting semaphore of the old texts, as one client uses it. For use by one thread. */
interface OriginalSemaphore {

    /** Makes one attempt; the answer is the permit's identifier. */
    Optional<String> acquire();

    /** Gives a permit back; {@code false} when it was not there any more. */
    boolean release(String identifier);

    /** How many attempts were rejected before they looked at the permits. */
    default long rejectedUnseen() {
        return 0;
    }
}
