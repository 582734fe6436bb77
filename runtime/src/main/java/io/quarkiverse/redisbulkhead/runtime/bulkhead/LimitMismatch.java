package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Instances use different limits for one bulkhead.
 *
 * @param bulkhead the bulkhead
 * @param own the limit in a request of this instance
 * @param others the other limits in requests of the last minute
 */
public record LimitMismatch(BulkheadId bulkhead, int own, Set<Integer> others) {
}
