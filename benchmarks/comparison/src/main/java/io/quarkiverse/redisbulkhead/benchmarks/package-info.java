/** Compares guarded calls with other semaphores in Redis. */
package io.quarkiverse.redisbulkhead.benchmarks;
