package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** How a client requests permits. */
enum Role {
    /** It makes one attempt. */
    TRIES,
    /** It waits in the queue. */
    WAITS_IN_ORDER,
    /** It waits on standby. */
    WAITS
}
