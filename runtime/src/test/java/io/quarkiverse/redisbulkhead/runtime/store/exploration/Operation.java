package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** What a client asks of the store. */
enum Operation {
    ACQUIRE,
    POLL,
    RENEW,
    RELEASE,
    /** A release of a permit that stays taken until its minimum hold is over. */
    RELEASE_AFTER,
    DETACH,
    /** Its id is that of the new permit, a {@value Behaviour#ATTACHES} and that of the detached one. */
    ATTACH,
    CANCEL
}
