package io.quarkiverse.redisbulkhead.faults.harness;

import java.time.Duration;
import java.util.List;

/**
 * What the {@link Checker} found.
 *
 * @param violations what must not be, in words; empty when the guarantees held
 * @param longestOverlapOfPaused how long a process that had been paused was inside beside its successors, at the longest
 * @param longestOverlapOfForgotten how long executions whose permits Redis had forgotten were inside beside others, at the
 *        longest
 */
record Verdict(List<String> violations, Duration longestOverlapOfPaused, Duration longestOverlapOfForgotten) {
}
