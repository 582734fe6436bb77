package io.quarkiverse.redisbulkhead.reference;

/** The round trips of the reference semaphores, by purpose. */
public enum RoundTrip {
    /** Basic: remove timed-out owners, add this one, read its rank. */
    TAKE,
    /** Fair, first transaction: remove timed-out owners, draw a number. */
    DRAW_NUMBER,
    /** Fair, second transaction: add this owner with that number, read its rank. */
    JOIN,
    /** Remove this owner after a rank above the limit. */
    GIVE_UP,
    /** Release a permit. */
    RELEASE,
    /** Set the lock unless it is set. */
    LOCK,
    /** Set the expiry of the lock. */
    LIMIT_LOCK,
    /** Read whether the lock of another client has an expiry. */
    CHECK_LOCK,
    /** Watch the lock before it is read. */
    WATCH_LOCK,
    /** Read the owner of the lock. */
    READ_LOCK,
    /** Delete this client's lock. */
    DELETE_LOCK
}
