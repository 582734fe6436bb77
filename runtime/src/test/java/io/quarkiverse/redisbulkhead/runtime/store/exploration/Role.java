package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** How a client asks. */
enum Role {
    /** It makes one attempt. */
    TRIES,
    /** It waits in the queue. */
    WAITS_IN_ORDER,
    /** It waits beside the queue. */
    WAITS
}
