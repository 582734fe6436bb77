package io.quarkiverse.redisbulkhead.runtime.store.originals;

import java.util.Optional;

/**
 * The counting semaphore without races of "Redis in Action", 6.3.4: the fair one, each attempt within a lock. An attempt
 * that does not get the lock is rejected.
 */
class LockedSemaphore implements OriginalSemaphore {

    final FairSemaphore fair;

    private final BookLock lock;
    private long rejectedUnseen;

    LockedSemaphore(OriginalClient client, OriginalSpec spec) {
        fair = new FairSemaphore(client, spec);
        lock = new BookLock(client, spec.name());
    }

    @Override
    public final Optional<String> acquire() {
        Optional<String> token = lock.acquire();
        if (token.isEmpty()) {
            rejectedUnseen++;
            return Optional.empty();
        }
        try {
            return fair.acquire();
        } finally {
            leave(token.get());
        }
    }

    void leave(String token) {
        lock.release(token);
    }

    @Override
    public final boolean release(String identifier) {
        return fair.release(identifier);
    }

    @Override
    public final long rejectedUnseen() {
        return rejectedUnseen;
    }
}
