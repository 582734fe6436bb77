package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * A message to a waiter on its way. It may never arrive.
 *
 * @param client to whom
 * @param id the permit that is waited for
 * @param handedOver whether the permit was handed over; else one is free
 * @param ticket the ticket of what was handed over
 * @param end when the lease of what was handed over ends; from now, milliseconds
 */
record Notice(int client, String id, boolean handedOver, long ticket, long end) {

    @Override
    public String toString() {
        return handedOver ? "handed-over " + id + " " + ticket % 1_000_000_000 + " until " + end : "free " + id;
    }
}
