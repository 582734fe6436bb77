/** Measures instances that share the permits of one bulkhead. */
package io.quarkiverse.redisbulkhead.benchmarks.instances;
