package io.quarkiverse.redisbulkhead.runtime.store.originals;

import io.quarkiverse.redisbulkhead.originals.FairSemaphore;
import io.quarkiverse.redisbulkhead.originals.OriginalClient;
import io.quarkiverse.redisbulkhead.originals.OriginalSpec;

/** A mistake of translations: the refresh has no branch that answers {@code true}. */
final class RefreshAlwaysFalse extends FairSemaphore {

    RefreshAlwaysFalse(OriginalClient client, OriginalSpec spec) {
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
