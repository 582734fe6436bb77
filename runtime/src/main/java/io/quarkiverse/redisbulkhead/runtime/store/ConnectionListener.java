package io.quarkiverse.redisbulkhead.runtime.store;

/**
 * Receives what concerns all bulkheads of an instance at once. Called on a thread of the store, in the order of the events;
 * must not block.
 */
public interface ConnectionListener {

    /**
     * Another server, or another run of the server, may have the data, or messages may have been lost: each bulkhead in use
     * states its position.
     */
    default void reconnected() {
    }

    /** A server has become unavailable, or available again: calls that wait check whether the policy for outages applies. */
    default void availabilityChanged() {
    }

    /**
     * Whether messages arrive has changed.
     *
     * @param hears {@code false}: recalls may be lost, so the instance keeps no idle permits
     */
    default void hearsRecalls(boolean hears) {
    }
}
