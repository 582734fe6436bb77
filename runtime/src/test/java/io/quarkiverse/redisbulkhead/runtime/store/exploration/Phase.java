package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** Where a client is. */
enum Phase {
    /** It wants nothing, or nothing yet. */
    IDLE,
    /** A request for a permit is on its way. */
    ASKING,
    /** The store has it among its waiters. */
    WAITING,
    /** It was given a permit, and has not given it back; whether the lease has ended is another matter. */
    HOLDING,
    /** It detaches the permit that it has. */
    DETACHING,
    /** It asks for a permit that was detached. */
    ATTACHING,
    /** It gives back what it has, and waits for the answer. */
    LEAVING,
    /** It gives up what may be in the store, until there is an answer. */
    RECLAIMING,
    /** Its process was killed. */
    DEAD
}
