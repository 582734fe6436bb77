package io.quarkiverse.redisbulkhead.runtime.store;

/**
 * A permit that a waiter was given.
 *
 * @param ticket its fencing token
 * @param leaseEndMillis when its lease ends, by the clock of the store, in milliseconds since the epoch
 */
public record HandOver(long ticket, long leaseEndMillis) {
}
