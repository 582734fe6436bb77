package io.quarkiverse.redisbulkhead.runtime.store.reference;

import io.quarkiverse.redisbulkhead.reference.LockedSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;

/** A mistake of ports: the end of an attempt releases the semaphore with the token of the lock, and keeps the lock. */
final class SemaphoreReleasedForLock extends LockedSemaphore {

    SemaphoreReleasedForLock(ReferenceClient client, ReferenceSpec spec) {
        super(client, spec);
    }

    @Override
    protected void leave(String token) {
        release(token);
    }
}
