package io.quarkiverse.redisbulkhead.runtime.store;

/**
 * A store that guards its steps with a lock did not get that lock in time. Nothing was changed. Permits may be free, and the
 * store is not away.
 */
public class StoreContendedException extends StoreException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what was tried, for how long, and what to do about it
     */
    public StoreContendedException(String message) {
        super(message, false, null);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }
}
