/**
 * A Redis in memory whose whole state is a value, and a Lua that runs scripts on it: what an explorer of all interleavings
 * needs. It has the commands that the scripts and the old semaphores use, and no others.
 */
package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;
