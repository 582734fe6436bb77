package io.quarkiverse.redisbulkhead;

import java.util.Objects;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;

/**
 * The calling thread was interrupted while it waited for a permit, or for a reply from Redis. The thread stays interrupted. A
 * guarded method did not run, and the call has left the queue. Redis is not away, so {@link OnOutage} does not apply.
 * <p>
 * In REST applications it becomes status 503 with {@code Retry-After}, unless the application maps it itself.
 *
 * @serial exclude
 */
public class BulkheadInterruptedException extends BulkheadException {

    private static final long serialVersionUID = 1L;

    private final String name;

    /**
     * Creates the exception of a thread that waited for a permit or a lock.
     *
     * @param name the bulkhead, or the one behind a lock, not null
     * @param cause the interrupt, or null
     */
    public BulkheadInterruptedException(String name, InterruptedException cause) {
        this("The thread was interrupted while it waited for " + (name.startsWith(LockSpec.BULKHEAD_PREFIX)
                ? "lock '" + name.substring(LockSpec.BULKHEAD_PREFIX.length())
                : "a permit of bulkhead '" + name) + "'", name, cause);
    }

    /**
     * Creates the exception with a custom message.
     *
     * @param message what the thread waited for, not null
     * @param name the bulkhead, not null
     * @param cause the interrupt, or null
     */
    public BulkheadInterruptedException(String message, String name, InterruptedException cause) {
        super(message, cause);
        this.name = Objects.requireNonNull(name);
    }

    /**
     * The bulkhead that the thread waited for.
     *
     * @return its name, never null
     */
    public String name() {
        return name;
    }
}
