package io.quarkiverse.redisbulkhead.faults.harness;

import java.time.Duration;
import java.util.List;

/**
 * The result of the {@link Checker}.
 *
 * @param violations the violations as text; empty when the guarantees held
 * @param longestOverlapOfPaused how long a process that had been paused was inside beside its successors, at the longest
 * @param longestOverlapOfForgotten how long executions whose permits Redis had forgotten were inside beside others, at the
 *        longest
 */
record Verdict(List<String> violations, Duration longestOverlapOfPaused, Duration longestOverlapOfForgotten) {
}
