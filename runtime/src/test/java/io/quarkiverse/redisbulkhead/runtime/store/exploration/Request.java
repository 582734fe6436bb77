package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * A request on its way to the store.
 *
 * @param client who sent it
 * @param operation what is asked
 * @param id the permit
 * @param place for how long the client may wait, milliseconds
 * @param again whether it was sent before
 * @param age for a request that nobody waits for any more: since when, milliseconds
 */
record Request(int client, Operation operation, String id, long place, boolean again, long age) {

    static Request of(Client client, Operation operation, long place) {
        return new Request(client.number, operation, client.id, place, false, 0);
    }

    Request sentAgain() {
        return new Request(client, operation, id, place, true, 0);
    }

    Request older(long millis) {
        return new Request(client, operation, id, place, again, age + millis);
    }

    @Override
    public String toString() {
        return operation + " " + id + (place > 0 ? " for " + place : "") + (again ? " again" : "")
                + (age > 0 ? " aged " + age : "");
    }
}
