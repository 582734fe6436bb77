/** Acquires permits, runs a guarded method and releases the permits; one strategy for each kind of return type. */
package io.quarkiverse.redisbulkhead.runtime.guard;
