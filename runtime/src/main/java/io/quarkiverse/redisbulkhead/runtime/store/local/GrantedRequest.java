package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Instant;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;

/** A permit that was granted. */
final class GrantedRequest extends Expiring.Entry<String> {

    private final AcquireRequest request;
    private final long ticket;
    private final long since;

    /**
     * Grants it.
     *
     * @param request what was asked for
     * @param ticket the fencing token
     * @param since when it was granted
     */
    GrantedRequest(AcquireRequest request, long ticket, long since) {
        this.request = request;
        this.ticket = ticket;
        this.since = since;
    }

    @Override
    String key() {
        return request.permitId();
    }

    long ticket() {
        return ticket;
    }

    Holder describe() {
        return new Holder(request.permitId(), request.bulkhead().name(),
                request.bulkhead().key(), ticket, request.application(), request.instance(),
                request.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(end()));
    }
}
