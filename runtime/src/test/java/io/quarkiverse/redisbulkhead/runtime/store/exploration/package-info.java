/**
 * Explores all interleavings of a few clients of a bulkhead: what they send, what is lost, late or sent twice, who dies, how
 * time passes. The real scripts run in each of them. {@code model.adoc} in the documentation tells what is covered.
 */
package io.quarkiverse.redisbulkhead.runtime.store.exploration;
