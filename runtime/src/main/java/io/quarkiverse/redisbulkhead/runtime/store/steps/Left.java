package io.quarkiverse.redisbulkhead.runtime.store.steps;

/** What somebody had who left. */
public enum Left {

    /** An unexpired permit. */
    PERMIT,

    /** A place in the queue. */
    QUEUE,

    /** A place beside the queue. */
    STANDBY,

    /** Neither a permit nor a place. */
    NOTHING
}
