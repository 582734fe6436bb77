/** What all stores in Redis share: connections for commands and messages, the names of keys, and how errors read. */
package io.quarkiverse.redisbulkhead.runtime.store.redis;
