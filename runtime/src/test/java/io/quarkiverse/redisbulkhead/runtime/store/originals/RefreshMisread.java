package io.quarkiverse.redisbulkhead.runtime.store.originals;

import io.quarkiverse.redisbulkhead.originals.FairSemaphore;
import io.quarkiverse.redisbulkhead.originals.OriginalClient;
import io.quarkiverse.redisbulkhead.originals.OriginalSpec;

/** A mistake of translations: ZADD's answer 0, for a member that was there, is read as a failure, and 1 as success. */
final class RefreshMisread extends FairSemaphore {

    RefreshMisread(OriginalClient client, OriginalSpec spec) {
        super(client, spec);
    }

    @Override
    public boolean refresh(String identifier) {
        return addTime(identifier);
    }
}
