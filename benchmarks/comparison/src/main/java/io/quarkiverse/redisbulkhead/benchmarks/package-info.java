/** What a guarded call costs, beside the other ways to do it. */
package io.quarkiverse.redisbulkhead.benchmarks;
