package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.BulkheadFullException;

/**
 * A full bulkhead skips the call: it returns without having run. Different from the exception that the method itself may throw.
 *
 * @serial exclude
 */
public final class SkippedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient BulkheadFullException rejection;
    private final transient Consumer<BulkheadFullException> listener;

    /**
     * Creates the exception.
     *
     * @param rejection what the call would have failed with
     * @param listener receives it when the call returns; must not block
     */
    public SkippedException(BulkheadFullException rejection, Consumer<BulkheadFullException> listener) {
        super(rejection.getMessage(), rejection, false, false);
        this.rejection = rejection;
        this.listener = listener;
    }

    /** The call returns. To be called on its thread. */
    public void skip() {
        listener.accept(rejection);
    }
}
