package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * A moment at which Redis forgot what it knew. Permits of before, told by their fencing token, may be forgotten; the guarantees
 * say so. The moment lies between two readings of the server's clock, and whether a permit granted between them was granted
 * before it
 * is unknown.
 *
 * @param at when at the earliest, by the observer's clock
 * @param earliestMicros when at the earliest, by the server's clock
 * @param serverMicros the latest time it can have been, by the server's clock; a smaller fencing token is from before
 */
record DataLoss(long at, long earliestMicros, long serverMicros) {

    boolean concerns(Visit visit) {
        return visit.token() < serverMicros && visit.over() > at;
    }

    /** Whether a permit may have been granted after that. */
    boolean mayPrecede(Visit visit) {
        return visit.token() >= earliestMicros;
    }
}
