/** The store {@code script}, and what it shares with the store {@code lock}: connections, messages, keys and error replies. */
package io.quarkiverse.redisbulkhead.runtime.store.redis;
