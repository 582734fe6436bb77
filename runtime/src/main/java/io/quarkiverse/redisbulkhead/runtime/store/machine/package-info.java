/**
 * The protocol of shares as a state machine over the fields that Redis keeps: for stores without scripts, and to compare with
 * {@code share.lua}. It reads and writes the texts of the fields, so calls that are served in memory do not come here.
 */
package io.quarkiverse.redisbulkhead.runtime.store.machine;
