package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A permit that a waiter received.
 * <p>
 * The waiter may have died since its last poll, so its first lease is short: the requested lease, but at most
 * {@link PermitStore#FIRST_LEASE}. A live waiter learns of the permit within that time and renews it like any other.
 *
 * @param ticket its fencing token
 * @param leaseEndMillis when its lease ends, by the clock of the store, in milliseconds since the epoch
 */
public record HandOver(long ticket, long leaseEndMillis) {

    /**
     * The first lease of a permit that is handed over.
     *
     * @param lease the requested lease
     * @return the shorter of that and {@link PermitStore#FIRST_LEASE}
     */
    public static Duration firstLease(Duration lease) {
        return lease.compareTo(PermitStore.FIRST_LEASE) < 0 ? lease : PermitStore.FIRST_LEASE;
    }
}
