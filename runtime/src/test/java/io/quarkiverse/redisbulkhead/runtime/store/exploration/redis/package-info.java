/**
 * A Redis in memory whose state is a value, and a Lua engine that runs scripts on it, for exploring all interleavings. It
 * supports only the commands of the script, and of the steps under the lock.
 */
package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;
