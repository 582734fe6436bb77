package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * A reply in flight to a client.
 *
 * @param request the request
 * @param reply the reply of the store
 */
record ReplyInFlight(Request request, Reply reply) {

    @Override
    public String toString() {
        return request + ": " + reply;
    }
}
