/** Metrics by Micrometer. Loaded only in applications that have it. */
package io.quarkiverse.redisbulkhead.runtime.metrics;
