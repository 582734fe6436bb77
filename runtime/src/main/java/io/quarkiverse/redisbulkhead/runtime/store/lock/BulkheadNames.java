package io.quarkiverse.redisbulkhead.runtime.store.lock;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;

/**
 * Names that a step needs.
 *
 * @param bulkhead the bulkhead
 * @param mailbox where this process is told of what concerns it
 * @param keys the keys of the bulkhead
 */
record BulkheadNames(BulkheadId bulkhead, String mailbox, BulkheadKeys keys) {
}
