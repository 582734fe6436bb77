package io.quarkiverse.redisbulkhead.sample.ledger;

import io.quarkiverse.redisbulkhead.Permit;

/** A holder of a later permit has written already, so this one must not. */
public class StaleWriterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long token;
    private final boolean permitHeld;

    StaleWriterException(Permit permit) {
        super("A later permit than " + permit + " has written already");
        this.token = permit.fencingToken();
        this.permitHeld = permit.isHeld();
    }

    /** The outdated fencing token. */
    public long token() {
        return token;
    }

    /** Whether the writer still had its permit, as far as it knew. */
    public boolean permitHeld() {
        return permitHeld;
    }
}
