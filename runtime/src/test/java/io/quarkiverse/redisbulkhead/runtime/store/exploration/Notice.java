package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * A message in flight to a waiter. It may get lost.
 *
 * @param client the receiver
 * @param id the permit id of the waiter
 * @param handedOver whether the permit was handed over; otherwise one is free
 * @param ticket the ticket of the hand-over
 * @param end the lease end of the hand-over, in milliseconds from now
 */
record Notice(int client, String id, boolean handedOver, long ticket, long end) {

    @Override
    public String toString() {
        return handedOver ? "handed-over " + id + " " + ticket % 1_000_000_000 + " until " + end : "free " + id;
    }
}
