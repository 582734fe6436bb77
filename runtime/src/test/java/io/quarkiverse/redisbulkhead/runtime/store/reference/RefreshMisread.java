package io.quarkiverse.redisbulkhead.runtime.store.reference;

import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;

/** A mistake of ports: reads the reply 0 of ZADD, for an existing member, as a failure, and 1 as success. */
final class RefreshMisread extends FairSemaphore {

    RefreshMisread(ReferenceClient client, ReferenceSpec spec) {
        super(client, spec);
    }

    @Override
    public boolean refresh(String identifier) {
        return addTime(identifier);
    }
}
