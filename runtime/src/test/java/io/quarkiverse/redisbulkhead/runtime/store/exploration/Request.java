package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * A request in flight to the store.
 *
 * @param client the sender
 * @param operation the operation
 * @param id the permit
 * @param place the lifetime of the place in milliseconds; for a detach, how long copies are refused
 * @param ticket the former ticket in the queue, or 0
 * @param again whether it is a repetition
 * @param age the time since the client stopped waiting for it, in milliseconds
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
