package io.quarkiverse.redisbulkhead.runtime.bulkhead;

/** What a call occupies while it waits for a permit. */
public enum WaitsOn {

    /** A thread of a bounded pool that is shared with other work: Quarkus' worker pool, or a pool of continuations. */
    WORKER_THREAD,
    /** No such thread: the call is asynchronous, or blocks a virtual thread or a thread of the application. */
    NO_WORKER_THREAD
}
