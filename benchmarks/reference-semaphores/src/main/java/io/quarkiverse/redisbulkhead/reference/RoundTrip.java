package io.quarkiverse.redisbulkhead.reference;

/** The round trips of the old semaphores, by what they do. */
public enum RoundTrip {
    /** Basic: remove who timed out, add oneself, ask for the rank. */
    TAKE,
    /** Fair, first transaction: remove who timed out, draw a number. */
    DRAW_NUMBER,
    /** Fair, second transaction: add oneself with that number, ask for the rank. */
    JOIN,
    /** Remove oneself after a rank that was too high. */
    GIVE_UP,
    /** Give a permit back. */
    RELEASE,
    /** Reset a permit's time. */
    REFRESH,
    /** Set the lock unless it is set. */
    LOCK,
    /** Give the lock its end. */
    LIMIT_LOCK,
    /** Ask whether another's lock has an end. */
    CHECK_LOCK,
    /** Watch the lock before it is read. */
    WATCH_LOCK,
    /** Read whose lock it is. */
    READ_LOCK,
    /** Delete one's own lock. */
    DELETE_LOCK
}
