package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.Optional;

/**
 * A lock was not free within the time that the call waited for it. The action did not run.
 * <p>
 * It is a {@link BulkheadFullException}, because a lock is a bulkhead with one permit; so Fault Tolerance and REST
 * applications treat it like any rejection.
 *
 * @serial exclude
 */
public class LockNotAcquiredException extends BulkheadFullException {

    private static final long serialVersionUID = 1L;

    private final String lock;

    /**
     * Creates the exception.
     *
     * @param lock the lock's name, not null
     * @param leaseEnd how long from now until the owner's lease ends, not null
     */
    public LockNotAcquiredException(String lock, Duration leaseEnd) {
        this("Lock '" + lock + "' was not free in time; the lease of its owner ends in " + leaseEnd.toMillis()
                + " ms, unless it is renewed", lock, leaseEnd);
    }

    /**
     * Creates the exception with a custom message.
     *
     * @param message why the lock was not acquired, not null
     * @param lock the lock's name, not null
     * @param leaseEnd how long from now until the owner's lease ends, not null
     */
    public LockNotAcquiredException(String message, String lock, Duration leaseEnd) {
        super(message, LockSpec.BULKHEAD_PREFIX + lock, Optional.empty(), 1, leaseEnd);
        this.lock = lock;
    }

    /**
     * The lock that was not free. The bulkhead behind it is {@link #name()}.
     *
     * @return its name, never null
     */
    public String lock() {
        return lock;
    }
}
