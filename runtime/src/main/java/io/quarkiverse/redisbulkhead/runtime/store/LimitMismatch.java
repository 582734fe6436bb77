package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.Set;

/**
 * Processes use different limits for one bulkhead.
 *
 * @param bulkhead the bulkhead
 * @param own the limit in a request of this process
 * @param others the other limits in requests of the last minute
 */
public record LimitMismatch(BulkheadId bulkhead, int own, Set<Integer> others) {
}
