package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * A time in which Redis was silent and applications ran calls without permits, as {@code on-outage=allow} has them do.
 *
 * @param from begin of the silence
 * @param until when the first call has to have a permit again
 */
record Silence(long from, long until) {

    boolean excuses(Visit visit) {
        return visit.permit().isEmpty() && from <= visit.began() && visit.began() < until;
    }
}
