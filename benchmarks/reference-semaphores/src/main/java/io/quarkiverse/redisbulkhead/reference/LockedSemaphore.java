package io.quarkiverse.redisbulkhead.reference;

import java.util.Optional;

/**
 * The counting semaphore without races of "Redis in Action", 6.3.4: the fair one, each attempt within a lock. An attempt
 * that does not get the lock is rejected.
 */
public final class LockedSemaphore implements ReferenceSemaphore {

    private final FairSemaphore fair;
    private final BookLock lock;

    /**
     * Sends no command yet.
     *
     * @param client the client that uses it
     * @param spec what all clients agree on
     */
    public LockedSemaphore(ReferenceClient client, ReferenceSpec spec) {
        fair = new FairSemaphore(client, spec);
        lock = new BookLock(client, spec.name());
    }

    @Override
    public Optional<String> acquire() {
        Optional<String> token = lock.acquire();
        if (token.isEmpty()) {
            return Optional.empty();
        }
        try {
            return fair.acquire();
        } finally {
            lock.release(token.get());
        }
    }

    @Override
    public boolean release(String identifier) {
        return fair.release(identifier);
    }
}
