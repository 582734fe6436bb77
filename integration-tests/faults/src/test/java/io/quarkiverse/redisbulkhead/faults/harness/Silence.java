package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * A time in which Redis was silent and applications ran calls without permits, because of {@code on-outage=allow}.
 *
 * @param from start of the silence
 * @param until when calls must have permits again
 */
record Silence(long from, long until) {

    boolean excuses(Visit visit) {
        return visit.permit().isEmpty() && from <= visit.began() && visit.began() < until;
    }
}
