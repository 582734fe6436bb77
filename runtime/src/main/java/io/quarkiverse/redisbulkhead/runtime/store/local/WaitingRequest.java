package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Instant;

import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;

/**
 * A request that waits.
 *
 * @param request what was asked for
 * @param ticket its place in the queue, or 0 when it is not fair
 * @param arrival orders the requests of one bulkhead by the time of their coming
 * @param since when it came
 */
record WaitingRequest(AcquireRequest request, long ticket, long arrival, long since) {

    Waiter describe(long placeEnd) {
        return new Waiter(request.permitId(), request.bulkhead().name(),
                request.bulkhead().key(), ticket, request.application(), request.instance(),
                request.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(placeEnd));
    }
}
