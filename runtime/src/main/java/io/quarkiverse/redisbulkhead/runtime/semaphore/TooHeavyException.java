package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.BulkheadFullException;

/**
 * The limit that is in force is below the weight of the call, so that no wait would help.
 *
 * @serial exclude
 */
public final class TooHeavyException extends BulkheadFullException {

    private static final long serialVersionUID = 1L;

    TooHeavyException(String name, Optional<String> key, int weight, int limit, Duration nearestLeaseEnd) {
        super("Bulkhead '" + name + "'" + (key.isEmpty() ? "" : ", for this key,") + " has a limit of " + limit
                + " now, so a call of weight " + weight
                + " can get no permit. Raise the limit (RedisSemaphore.resize or resetSize), or lower the weight", name, key,
                limit, nearestLeaseEnd);
    }
}
