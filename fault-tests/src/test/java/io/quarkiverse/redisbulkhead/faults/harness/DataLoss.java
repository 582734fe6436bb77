package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * A moment at which Redis forgot what it knew. Permits of before, told by their fencing token, may be forgotten; the guarantees
 * say so.
 *
 * @param at when at the earliest, by the observer's clock
 * @param serverMicros when at the latest, by the server's clock; a smaller fencing token is from before
 */
record DataLoss(long at, long serverMicros) {

    boolean concerns(Visit visit) {
        return visit.token() < serverMicros && visit.over() > at;
    }
}
