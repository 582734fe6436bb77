package io.quarkiverse.redisbulkhead.runtime.store;

/**
 * A request failed for a reason that passes within moments: the connection was lost, or the server is about to change its role.
 * The store is not away, and the same request may succeed at once.
 */
public final class TransientStoreException extends StoreException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what went wrong
     * @param outcomeUnknown as in {@link StoreException}
     * @param cause the failure behind it, or null
     */
    public TransientStoreException(String message, boolean outcomeUnknown, Throwable cause) {
        super(message, outcomeUnknown, cause);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    @Override
    public StoreException withUnknownOutcome() {
        return outcomeUnknown() ? this : new TransientStoreException(getMessage(), true, getCause());
    }
}
