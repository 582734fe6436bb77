package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** What happens only so many times, all clients together. What does not happen at all in a setting is zero. */
enum Rare {
    /** A process is killed. */
    CRASH,
    /** A connection breaks, and what has no answer is sent again over a new one; what was sent may arrive all the same. */
    SENT_AGAIN,
    /** A client does not wait for an answer any longer; its request may still arrive. */
    TIMED_OUT,
    /** The server loses all data, and some time passes. */
    DATA_LOST,
    /** The server evicts one key, but not that of the holders, and some time passes. */
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
