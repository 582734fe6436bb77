package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A permit that a waiter was given.
 * <p>
 * The waiter may have died since it was last seen. So that the permit of a process that was killed is free within one
 * lease all the same, its first lease counts from the last sign of life, which is never longer ago than
 * {@link PermitStore#LONGEST_PLACE}; but it is not shorter than {@link PermitStore#ASSURED_LEASE}, or than the lease
 * that was asked for, so that a live waiter has the time to learn of it and to renew it.
 *
 * @param ticket its fencing token
 * @param leaseEndMillis when its lease ends, by the clock of the store, in milliseconds since the epoch
 */
public record HandOver(long ticket, long leaseEndMillis) {

    /**
     * The end of the first lease.
     *
     * @param nowMillis the clock of the store
     * @param placeEndMillis the end of the waiter's place
     * @param lease the lease that was asked for
     * @return by the clock of the store
     */
    public static long leaseEnd(long nowMillis, long placeEndMillis, Duration lease) {
        long seen = Math.min(nowMillis, placeEndMillis - PermitStore.LONGEST_PLACE.toMillis());
        long sinceSeen = Math.max(seen + lease.toMillis() - nowMillis, PermitStore.ASSURED_LEASE.toMillis());
        return nowMillis + Math.min(lease.toMillis(), sinceSeen);
    }
}
