package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.BulkheadFullException;

/**
 * A call was rejected because the calls around it hold so much of the bulkhead that it would wait for itself.
 *
 * @serial exclude
 */
public final class NestedCallRejectedException extends BulkheadFullException {

    private static final long serialVersionUID = 1L;

    /**
     * Whether a call was rejected for this reason. Retrying does not help then.
     *
     * @param rejection of a bulkhead, or of a lock, which has this exception as its cause
     */
    public static boolean isReasonOf(BulkheadFullException rejection) {
        return rejection instanceof NestedCallRejectedException
                || rejection.getCause() instanceof NestedCallRejectedException;
    }

    /**
     * Creates the exception.
     *
     * @param weight of the call
     * @param held the weights of the permits of the calls around it
     * @param limit that is in force
     */
    public NestedCallRejectedException(String name, Optional<String> key, int weight, int held, int limit,
            Duration nearestLeaseEnd) {
        super("A call of bulkhead '" + name + "' would wait for itself: it needs "
                + (limit == 1 ? "the only permit" : weight + " of the " + limit + " permits")
                + (key.isEmpty() ? "" : " of this key")
                + ", and the guarded calls around"
                + " it hold " + held + ". Call it outside of them, use a bulkhead of another name, or raise the limit to "
                + ((long) held + weight), name, key, limit, nearestLeaseEnd);
    }
}
