package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;

/**
 * A call requested a permit while the application stops.
 *
 * @serial exclude
 */
public final class StoppingException extends BulkheadUnavailableException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param bulkhead the name of the bulkhead
     */
    public StoppingException(String bulkhead) {
        super(bulkhead, "the application is stopping", null);
    }
}
