package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * A time during which a process stood still.
 *
 * @param worker the process
 * @param from when it was stopped
 * @param until when it was resumed
 */
record Pause(String worker, long from, long until) {

    long nanos() {
        return until - from;
    }

    boolean concerns(Visit visit) {
        return visit.worker().equals(worker) && visit.began() < until && visit.over() > from;
    }
}
