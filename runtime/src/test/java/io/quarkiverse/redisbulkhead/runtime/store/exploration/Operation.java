package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** A request type of clients. */
enum Operation {
    ACQUIRE,
    POLL,
    RENEW,
    RELEASE,
    /** A release of a permit that stays taken until min-hold ends. */
    RELEASE_AFTER,
    DETACH,
    /** Its id is the new permit id, {@value Behaviour#ATTACHES} and the detached permit id. */
    ATTACH,
    CANCEL
}
