/** Callers that do nothing but take permits and give them back, and what that costs. */
package io.quarkiverse.redisbulkhead.benchmarks.load;
