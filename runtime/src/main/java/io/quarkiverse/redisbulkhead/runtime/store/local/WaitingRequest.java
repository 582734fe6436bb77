package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Instant;

import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;

/** A request that waits. */
final class WaitingRequest extends Expiring.Entry<String> {

    private final AcquireRequest request;
    private final long ticket;
    private final long arrival;
    private final long since;

    /**
     * Lets it wait.
     *
     * @param request what was asked for
     * @param ticket its place in the queue, or 0 when it is not fair
     * @param arrival orders the requests of one bulkhead by the time of their coming
     * @param since when it came
     */
    WaitingRequest(AcquireRequest request, long ticket, long arrival, long since) {
        this.request = request;
        this.ticket = ticket;
        this.arrival = arrival;
        this.since = since;
    }

    @Override
    String key() {
        return request.permitId();
    }

    AcquireRequest request() {
        return request;
    }

    long ticket() {
        return ticket;
    }

    long arrival() {
        return arrival;
    }

    Waiter describe() {
        return new Waiter(request.permitId(), request.bulkhead().name(),
                request.bulkhead().key(), ticket, request.application(), request.instance(),
                request.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(end()));
    }
}
