package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/** The phase of a client. */
enum Phase {
    /** Makes no call. */
    IDLE,
    /** Its request is in flight. */
    REQUESTING,
    /** It waits in the store. */
    WAITING,
    /** It holds a permit; its lease may have expired. */
    HOLDING,
    /** It detaches its permit. */
    DETACHING,
    /** It attaches a detached permit. */
    ATTACHING,
    /** It releases its permit or place, and waits for the reply. */
    LEAVING,
    /** It retries a cancellation until there is a reply. */
    RECLAIMING,
    /** Its process was killed. */
    DEAD
}
