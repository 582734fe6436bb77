package io.quarkiverse.redisbulkhead;

import java.util.Objects;

/**
 * A guarded {@code Uni}, stage or {@code Multi} was ended because its permit was lost and its bulkhead is configured
 * with {@code on-lost=interrupt}. The execution had begun, so this is not a
 * {@link org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException}.
 */
public class PermitLostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient PermitLost loss;

    /**
     * Creates the exception.
     *
     * @param loss what was lost, not null
     */
    public PermitLostException(PermitLost loss) {
        super("The permit of " + loss.method() + " in bulkhead '" + loss.bulkhead() + "' was lost (" + loss.reason()
                + "), and on-lost=interrupt ends the execution");
        this.loss = Objects.requireNonNull(loss);
    }

    /**
     * What was lost.
     *
     * @return never null, except after deserialization
     */
    public PermitLost loss() {
        return loss;
    }
}
