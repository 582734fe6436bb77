package io.quarkiverse.redisbulkhead.runtime.store;

/** A store gave no answer, or refused the request. */
public class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    /**
     * Creates the exception.
     *
     * @param message what went wrong and what to do about it
     * @param outcomeUnknown whether the request may still have been executed, or may be executed later
     * @param cause the failure behind it, or null
     */
    public StoreException(String message, boolean outcomeUnknown, Throwable cause) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    /**
     * Whether the request may still have been executed, or may be executed later.
     *
     * @return {@code false} when it certainly was not
     */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }

    /** Whether the store did nothing because other requests came first, so that the same request may succeed soon. */
    public boolean isRetryable() {
        return false;
    }

    /** The same failure of a request that may have been executed before. */
    public StoreException withUnknownOutcome() {
        return outcomeUnknown ? this : new StoreException(getMessage(), true, getCause());
    }
}
