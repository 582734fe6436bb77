package io.quarkiverse.redisbulkhead;

/** What happens to an execution whose permit is lost while it runs. The loss is reported either way. */
public enum OnLost {

    /** The execution continues. */
    REPORT,

    /** The thread of a blocking execution is interrupted; a {@code Uni}, stage or {@code Multi} fails. */
    INTERRUPT
}
