package io.quarkiverse.redisbulkhead.faults.harness;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A snapshot of a history, for the {@link Checker}. Times are the observer's, in nanoseconds.
 *
 * @param limits how many executions of each bulkhead may be inside at once, from which time on
 */
record Evidence(List<Visit> visits, List<Pause> pauses, List<DataLoss> losses, List<Silence> silences,
        Map<String, TreeMap<Long, Integer>> limits) {

    /** A time during which a process stood still. */
    record Pause(String worker, long from, long until) {

        long nanos() {
            return until - from;
        }

        boolean concerns(Visit visit) {
            return visit.worker().equals(worker) && visit.began() < until && visit.over() > from;
        }
    }

    /**
     * A moment at which Redis lost data. Permits granted before it, identified by their fencing tokens, may be lost; the
     * guarantees allow this. The moment lies between two readings of the server's clock, and whether a permit granted between
     * them was granted before it is unknown.
     *
     * @param at the earliest time it can have been
     * @param earliestMicros the same by the server's clock
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

    /** A time in which calls may start without permits, because Redis was silent and {@code on-outage=allow}. */
    record Silence(long from, long until) {

        boolean excuses(Visit visit) {
            return visit.permit().isEmpty() && from <= visit.began() && visit.began() < until;
        }
    }

    int limit(Visit visit, long at) {
        TreeMap<Long, Integer> ofBulkhead = limits.get(visit.bulkhead());
        if (ofBulkhead == null) {
            throw new IllegalStateException("No limit was reported for " + visit.bulkhead());
        }
        return ofBulkhead.floorEntry(at).getValue();
    }
}
