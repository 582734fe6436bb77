package io.quarkiverse.redisbulkhead.runtime.store;

/**
 * The store is away, or was for the whole time that a request may take. It may return at any moment, so waiting makes sense;
 * after any other {@link StoreException} it does not.
 */
public final class StoreAwayException extends StoreException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what went wrong and what to do about it
     * @param outcomeUnknown as in {@link StoreException}
     * @param cause the failure behind it, or null
     */
    public StoreAwayException(String message, boolean outcomeUnknown, Throwable cause) {
        super(message, outcomeUnknown, cause);
    }

    @Override
    public StoreException withUnknownOutcome() {
        return outcomeUnknown() ? this : new StoreAwayException(getMessage(), true, getCause());
    }
}
