package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * A request on its way to the store.
 *
 * @param client who sent it
 * @param operation what is asked
 * @param id the permit
 * @param place for how long the client may wait, milliseconds; of a detaching, for how long copies are refused
 * @param ticket the one that it had in the queue before, or 0
 * @param again whether it was sent before
 * @param age for a request that is no longer awaited: since when, milliseconds
 */
record Request(int client, Operation operation, String id, long place, long ticket, boolean again, long age) {

    static Request of(Client client, Operation operation, long place) {
        return new Request(client.number, operation, client.id, place, operation == Operation.ACQUIRE ? client.ticket : 0,
                false, 0);
    }

    Request sentAgain() {
        return new Request(client, operation, id, place, ticket, true, 0);
    }

    Request older(long millis) {
        return new Request(client, operation, id, place, ticket, again, age + millis);
    }

    Request with(long newTicket) {
        return new Request(client, operation, id, place, newTicket, again, age);
    }

    @Override
    public String toString() {
        return operation + " " + id + (place > 0 ? " for " + place : "")
                + (ticket > 0 ? " with ticket " + ticket % 1_000_000_000 : "") + (again ? " again" : "")
                + (age > 0 ? " aged " + age : "");
    }
}
