package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Instant;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;

/**
 * A permit that was granted.
 *
 * @param request what was asked for
 * @param ticket the fencing token
 * @param since when it was granted
 */
record GrantedRequest(AcquireRequest request, long ticket, long since) {

    Holder describe(long leaseEnd) {
        return new Holder(request.permitId(), request.bulkhead().name(),
                request.bulkhead().key(), ticket, request.application(), request.instance(),
                request.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(leaseEnd));
    }
}
