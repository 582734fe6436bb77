package io.quarkiverse.redisbulkhead.faults.harness;

import java.time.Duration;

/**
 * The results of a scenario.
 *
 * @param executions how many executions the observer saw
 * @param faults how many faults were injected
 * @param longestRecovery how long it took, at the longest, from the end of a fault until everything worked again
 * @param longestOverlap for how long executions overlapped that the guarantees excuse, at the longest
 */
record Figures(long executions, long faults, Duration longestRecovery, Duration longestOverlap) {

    Figures and(Figures other) {
        return new Figures(executions + other.executions, faults + other.faults,
                longer(longestRecovery, other.longestRecovery), longer(longestOverlap, other.longestOverlap));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
