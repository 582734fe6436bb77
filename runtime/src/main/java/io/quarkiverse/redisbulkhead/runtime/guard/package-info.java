/**
 * Runs a guarded method between taking its permits and giving them back, in the way that its return type asks for.
 */
package io.quarkiverse.redisbulkhead.runtime.guard;
