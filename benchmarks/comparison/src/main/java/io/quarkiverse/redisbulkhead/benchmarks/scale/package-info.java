/** Measures how cost grows with permits, keys and waiters. */
package io.quarkiverse.redisbulkhead.benchmarks.scale;
