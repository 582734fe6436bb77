/** Runs that the documentation shows as timelines. */
package io.quarkiverse.redisbulkhead.faults.incidents;
