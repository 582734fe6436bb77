package io.quarkiverse.redisbulkhead.runtime.store.redis;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;

/**
 * Something to ask of Redis: one command, or several over one connection that depend on each other.
 *
 * @param <T> the answer
 */
public interface RedisCall<T> {

    /**
     * Asks. Called again, over another connection, when the first one breaks.
     *
     * @param connection to Redis; used by other calls at the same time, unless each connection carries one call at a time
     * @return the answer; fails with what the client fails with, or with a {@link StoreException} that is for the caller
     */
    Future<T> over(RedisConnection connection);

    /**
     * Whether a call that was not answered may have been carried out all the same, now or later.
     *
     * @return what the call knows beyond whether it was sent over the present connection
     */
    default boolean mayHaveBeenCarriedOut() {
        return false;
    }

    /**
     * Whether a refusal may have come in the middle of the work.
     *
     * @param refusal what Redis said
     */
    default boolean mayHaveBegunBefore(ErrorReply refusal) {
        return false;
    }

    /** A key that decides which node of a cluster is asked; null when any node will do. */
    default byte[] routingKey() {
        return null;
    }

    /** What the call is, for messages: its command or keys, without the key value of a user. */
    String about();

    /** Whether a refusal is logged; not where the caller does that. */
    default boolean logsRefusal() {
        return true;
    }
}
