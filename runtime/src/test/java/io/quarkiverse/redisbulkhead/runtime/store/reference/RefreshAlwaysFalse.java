package io.quarkiverse.redisbulkhead.runtime.store.reference;

import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;

/** A mistake of ports: refresh never returns {@code true}. */
final class RefreshAlwaysFalse extends FairSemaphore {

    RefreshAlwaysFalse(ReferenceClient client, ReferenceSpec spec) {
        super(client, spec);
    }

    @Override
    public boolean refresh(String identifier) {
        if (addTime(identifier)) {
            release(identifier);
        }
        return false;
    }
}
