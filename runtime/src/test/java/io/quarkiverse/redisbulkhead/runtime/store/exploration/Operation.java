package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** What a client asks of the store. */
enum Operation {
    ACQUIRE,
    POLL,
    RENEW,
    RELEASE,
    /** A release of a permit that stays taken until its minimum hold is over. */
    RELEASE_AFTER,
    CANCEL
}
