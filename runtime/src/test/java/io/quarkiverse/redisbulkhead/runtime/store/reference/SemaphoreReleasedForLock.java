package io.quarkiverse.redisbulkhead.runtime.store.reference;

import io.quarkiverse.redisbulkhead.reference.LockedSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;

/** A mistake of translations: at the end of an attempt the semaphore is released with the lock's token, and the lock is not. */
final class SemaphoreReleasedForLock extends LockedSemaphore {

    SemaphoreReleasedForLock(ReferenceClient client, ReferenceSpec spec) {
        super(client, spec);
    }

    @Override
    protected void leave(String token) {
        release(token);
    }
}
