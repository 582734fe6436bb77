package io.quarkiverse.redisbulkhead.runtime.store.originals;

/** A mistake of translations: at the end of an attempt the semaphore is released with the lock's token, and the lock is not. */
final class SemaphoreReleasedForLock extends LockedSemaphore {

    SemaphoreReleasedForLock(OriginalClient client, OriginalSpec spec) {
        super(client, spec);
    }

    @Override
    void leave(String token) {
        fair.release(token);
    }
}
