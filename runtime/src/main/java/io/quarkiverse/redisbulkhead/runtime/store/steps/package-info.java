/**
 * What each operation does to a bulkhead, for the stores that do it in Java: the local one, and the one that holds a lock
 * meanwhile. (The scripts say the same in Lua.)
 */
package io.quarkiverse.redisbulkhead.runtime.store.steps;
