package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * A moment at which Redis lost data. Permits granted before it, identified by their fencing tokens, may be lost; the
 * guarantees allow this. The moment lies between two readings of the server's clock, and whether a permit granted between
 * them was granted before it is unknown.
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
