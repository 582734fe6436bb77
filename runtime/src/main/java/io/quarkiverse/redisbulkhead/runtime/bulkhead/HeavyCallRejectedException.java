package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.BulkheadFullException;

/**
 * A call that weighs more than 1 was rejected.
 *
 * @serial exclude
 */
public final class HeavyCallRejectedException extends BulkheadFullException {

    private static final long serialVersionUID = 1L;

    private final long weight;

    /**
     * Creates the exception.
     *
     * @param weight of the call
     * @param limit that is in force
     */
    public HeavyCallRejectedException(String name, Optional<String> key, long weight, int limit, Duration nearestLeaseEnd) {
        super("Bulkhead '" + name + "' " + (weight > limit
                ? "has a limit of " + limit + (key.isEmpty() ? "" : " for this key") + ", below the weight " + weight
                        + " of this call. Raise the limit (its definition, or RedisSemaphore.resize and resetSize), or lower the weight"
                : "is full" + (key.isEmpty() ? "" : " for this key") + ": fewer than " + weight + " of its " + limit
                        + " permits are free; the first of the leases ends in " + nearestLeaseEnd.toMillis() + " ms"),
                name, key, limit, nearestLeaseEnd);
        this.weight = weight;
    }

    /** Whether the limit that is in force is below the weight of the call, so that no wait would help. */
    public boolean isAboveLimit() {
        return weight > limit();
    }
}
