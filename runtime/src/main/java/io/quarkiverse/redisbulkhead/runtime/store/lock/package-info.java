/**
 * The store for Redis servers that run no scripts: each step is done under a lock with a short timeout, and comes into
 * force by a transaction that fails when the lock was lost meanwhile. The data is laid out as the scripts lay it out.
 */
package io.quarkiverse.redisbulkhead.runtime.store.lock;
