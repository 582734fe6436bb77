/** Other processes of a measurement. */
package io.quarkiverse.redisbulkhead.benchmarks.process;
