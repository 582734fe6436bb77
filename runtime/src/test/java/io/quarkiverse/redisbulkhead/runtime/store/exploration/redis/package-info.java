/**
 * A Redis in memory whose state is a value, and a Lua engine that runs scripts on it, for exploring all interleavings. It
 * supports only the commands of the scripts and the reference semaphores.
 */
package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;
