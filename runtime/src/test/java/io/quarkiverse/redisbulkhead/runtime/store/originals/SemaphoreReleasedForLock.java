package io.quarkiverse.redisbulkhead.runtime.store.originals;

import io.quarkiverse.redisbulkhead.originals.LockedSemaphore;
import io.quarkiverse.redisbulkhead.originals.OriginalClient;
import io.quarkiverse.redisbulkhead.originals.OriginalSpec;

/** A mistake of translations: at the end of an attempt the semaphore is released with the lock's token, and the lock is not. */
final class SemaphoreReleasedForLock extends LockedSemaphore {

    SemaphoreReleasedForLock(OriginalClient client, OriginalSpec spec) {
        super(client, spec);
    }

    @Override
    protected void leave(String token) {
        release(token);
    }
}
