package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A request for one permit.
 *
 * @param terms what it shares with other requests
 * @param permitId the permit's id, chosen by the caller and unique, so that a request may be repeated and undone;
 *        without white space; it contains the {@linkplain Weights weight} of the permit
 * @param place how long it stays among the waiters when no permit is free; zero: it does not wait
 * @param ticket of a fair request that waited before and was lost by the store: its ticket at that time, so that it keeps its
 *        order; 0 for none
 */
public record AcquireRequest(PermitTerms terms, String permitId, Duration place, long ticket) {

    /** Creates a request with its own terms. */
    public AcquireRequest(BulkheadId bulkhead, String permitId, int limit, Duration lease, boolean fair, Duration place,
            long ticket, String application, String instance, String method) {
        this(new PermitTerms(bulkhead, Weights.of(permitId), limit, lease, fair, application, instance, method), permitId,
                place, ticket);
    }

    /** Creates a request with its own terms that did not wait before. */
    public AcquireRequest(BulkheadId bulkhead, String permitId, int limit, Duration lease, boolean fair, Duration place,
            String application, String instance, String method) {
        this(bulkhead, permitId, limit, lease, fair, place, 0, application, instance, method);
    }

    /** The bulkhead. */
    public BulkheadId bulkhead() {
        return terms.bulkhead();
    }

    /** How many permits may be held, this one included, unless the bulkhead was resized. */
    public int limit() {
        return terms.limit();
    }

    /** How long the permit lives. */
    public Duration lease() {
        return terms.lease();
    }

    /** Whether the request waits for its turn. */
    public boolean fair() {
        return terms.fair();
    }
}
