/** What becomes of the cost of a pair when there are more permits, more keys or more waiters. */
package io.quarkiverse.redisbulkhead.benchmarks.scale;
