/**
 * The store for Redis servers that run scripts: each operation is one Lua script, one round trip, by the server's
 * clock.
 */
package io.quarkiverse.redisbulkhead.runtime.store.script;
