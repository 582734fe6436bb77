/** Callers that only acquire and release permits, and their cost. */
package io.quarkiverse.redisbulkhead.benchmarks.load;
