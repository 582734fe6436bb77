/** Metrics and traces, where the application has the libraries for them. */
package io.quarkiverse.redisbulkhead.deployment.observation;
