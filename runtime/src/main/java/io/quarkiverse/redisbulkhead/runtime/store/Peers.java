package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The other instances that use a {@link ShareStore}: instances answer each other what the store does not know. Thread-safe. */
public interface Peers {

    /** The name of this instance in the store. */
    String ownName();

    /**
     * Asks other instances.
     *
     * @param instances their names in the store
     * @param request a short text
     * @return the answers by instance, after 250 ms at most; those that did not answer are missing. Never fails. The texts may
     *         be forged by a client that may send messages
     */
    CompletionStage<Map<String, String>> ask(Collection<String> instances, String request);

    /**
     * Sets who answers the requests of other instances. Called once, before anything else.
     *
     * @param answers called on a thread of the store; must not block
     */
    void answerWith(Function<String, CompletionStage<String>> answers);
}
