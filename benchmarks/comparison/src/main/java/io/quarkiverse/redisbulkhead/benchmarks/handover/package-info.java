/** Measures the time from a release until a fair waiter continues. */
package io.quarkiverse.redisbulkhead.benchmarks.handover;
