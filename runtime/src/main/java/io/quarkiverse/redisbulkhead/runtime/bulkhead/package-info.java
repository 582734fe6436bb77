/**
 * The calls of this instance: they take permits of its {@linkplain io.quarkiverse.redisbulkhead.runtime.bulkhead.Bulkhead
 * share} in memory, or {@linkplain io.quarkiverse.redisbulkhead.runtime.bulkhead.PendingCall wait}, while
 * {@link io.quarkiverse.redisbulkhead.runtime.bulkhead.ShareSync} states to the store what the share cannot serve, and what it
 * does not need. Independent of CDI, configuration and Redis; clock and threads are passed in. Everything is asynchronous;
 * blocking callers wait for the stage.
 */
package io.quarkiverse.redisbulkhead.runtime.bulkhead;
