package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * An answer on its way to a client.
 *
 * @param request what was asked
 * @param reply what the store said
 */
record Answer(Request request, Reply reply) {

    @Override
    public String toString() {
        return request + ": " + reply;
    }
}
