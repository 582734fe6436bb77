/** Traces by OpenTelemetry. Loaded only in applications that have it. */
package io.quarkiverse.redisbulkhead.runtime.tracing;
