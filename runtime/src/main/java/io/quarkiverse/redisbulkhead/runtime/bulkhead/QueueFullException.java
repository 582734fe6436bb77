package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.BulkheadFullException;

/**
 * The bulkhead was full, and the call could not wait because too many calls of this process already do.
 *
 * @serial exclude
 */
public final class QueueFullException extends BulkheadFullException {

    private static final long serialVersionUID = 1L;

    private final String reason;

    /** Creates the exception. */
    public QueueFullException(String reason, String name, Optional<String> key, int limit, Duration nearestLeaseEnd) {
        super("Bulkhead '" + name + "' is full" + (key.isEmpty() ? "" : " for this key") + ", and the call cannot wait: "
                + reason, name, key, limit, nearestLeaseEnd);
        this.reason = reason;
    }

    /**
     * Which bound is reached, and how to change it.
     *
     * @return part of a message
     */
    public String reason() {
        return reason;
    }
}
