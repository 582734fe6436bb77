package io.quarkiverse.redisbulkhead;

/**
 * A permit cannot be detached or attached, because it no longer exists: its lease has ended, another process has attached it,
 * or an operator has revoked it. Do not continue without a permit.
 *
 * @serial exclude
 */
public class PermitGoneException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String bulkhead;

    /**
     * Creates the exception.
     *
     * @param bulkhead the name of the bulkhead, not null
     * @param message what is gone, and why
     */
    public PermitGoneException(String bulkhead, String message) {
        super(message);
        this.bulkhead = bulkhead;
    }

    /**
     * The bulkhead that was called.
     *
     * @return its name; for a lock, {@value LockSpec#BULKHEAD_PREFIX} and the lock's name
     */
    public String bulkhead() {
        return bulkhead;
    }
}
