package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** Events whose number is limited, for all clients together. The limit is 0 unless a setting sets it. */
enum Rare {
    /** A process is killed. */
    CRASH,
    /** A connection breaks, and requests without a reply are repeated on a new one; the first copies may still arrive. */
    SENT_AGAIN,
    /** A client stops waiting for a reply; its request may still arrive. */
    TIMED_OUT,
    /** The server loses all data, and some time passes. */
    DATA_LOST,
    /** The server evicts a key other than that of the holders, and some time passes. */
    EVICTED,
    /** The server evicts the key of the holders, and some time passes. */
    HOLDERS_EVICTED,
    /** The clock of the server jumps ahead by a tick. */
    CLOCK_AHEAD,
    /** The clock of the server jumps back by a tick. */
    CLOCK_BACK,
    /** A holder detaches its permit; all others learn the token. */
    DETACHED,
    /** A holder renews. */
    RENEWAL,
    /** A waiter polls. */
    POLL
}
