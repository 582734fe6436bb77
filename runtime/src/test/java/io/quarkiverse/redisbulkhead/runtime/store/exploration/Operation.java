package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** What a client asks of the store. */
enum Operation {
    ACQUIRE,
    POLL,
    RENEW,
    RELEASE,
    CANCEL
}
