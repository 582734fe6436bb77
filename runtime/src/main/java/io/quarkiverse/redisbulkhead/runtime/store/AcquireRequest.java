package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A request for one permit.
 *
 * @param bulkhead the bulkhead
 * @param permitId the permit's id, chosen by the caller and unique, so that a request may be repeated and undone;
 *        without white space; it contains the {@linkplain Weights weight} of the permit
 * @param limit how many permits may be held, this one included, unless the bulkhead was resized
 * @param lease how long the permit lives
 * @param fair whether the request waits for its turn
 * @param place how long it stays among the waiters when no permit is free; zero: it does not wait
 * @param ticket of a fair request that waited before and was lost by the store: its ticket at that time, so that it keeps its
 *        order; 0 for none
 * @param application the name of the requesting application
 * @param instance its host and process
 * @param method the guarded method
 */
public record AcquireRequest(BulkheadId bulkhead, String permitId, int limit, Duration lease, boolean fair, Duration place,
        long ticket, String application, String instance, String method) {

    /** A request that did not wait before. */
    public AcquireRequest(BulkheadId bulkhead, String permitId, int limit, Duration lease, boolean fair, Duration place,
            String application, String instance, String method) {
        this(bulkhead, permitId, limit, lease, fair, place, 0, application, instance, method);
    }

    /** The same request under another id. */
    public AcquireRequest withId(String id) {
        return new AcquireRequest(bulkhead, id, limit, lease, fair, place, ticket, application, instance, method);
    }
}
