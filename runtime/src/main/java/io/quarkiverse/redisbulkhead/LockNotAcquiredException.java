package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.Optional;

/**
 * A lock was not free within the time that the call waited for it. The action did not run.
 * <p>
 * It is a {@link BulkheadFullException}, because a lock is a bulkhead with one permit; so Fault Tolerance and REST
 * applications treat it as any rejection.
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
        super("Lock '" + lock + "' was not free in time; the lease of its owner ends in " + leaseEnd.toMillis()
                + " ms, unless it is renewed",
                LockSpec.BULKHEAD_PREFIX + lock, Optional.empty(), 1, leaseEnd);
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
