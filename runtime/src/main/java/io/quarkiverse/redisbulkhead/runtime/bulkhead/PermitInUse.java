package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * A permit that is in use, for reports.
 *
 * @param bulkhead its bulkhead
 * @param id the permit's id
 * @param method the method that acquired it, or that it guards, as operators see it
 * @param taker the code that acquired it; null for a guarded method
 * @param age how long it has been held
 * @param expire the lease of the bulkhead
 */
public record PermitInUse(BulkheadId bulkhead, String id, String method, Taker taker, Duration age, Duration expire) {

    /**
     * The code that acquired a permit.
     *
     * @param thread the name of its thread
     * @param place the line, as {@code Class.method(File:line)}; empty where places are not recorded
     */
    public record Taker(String thread, String place) {
    }
}
