package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A request for one permit.
 *
 * @param bulkhead the bulkhead's name
 * @param permitId the permit's id, chosen by the caller and unique, so that a request may be repeated and undone
 * @param limit how many permits may be held, this one included
 * @param lease how long the permit lives
 * @param application the name of the asking application
 * @param instance its host and process
 * @param method the guarded method
 */
public record AcquireRequest(String bulkhead, String permitId, int limit, Duration lease, String application, String instance,
        String method) {
}
