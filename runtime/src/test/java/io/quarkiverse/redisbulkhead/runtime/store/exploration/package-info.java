/**
 * Explores all interleavings of a few clients of a bulkhead: requests, losses, delays, repetitions, crashes and the passing
 * of time. Runs the real scripts. {@code model.adoc} in the documentation describes the coverage.
 */
package io.quarkiverse.redisbulkhead.runtime.store.exploration;
