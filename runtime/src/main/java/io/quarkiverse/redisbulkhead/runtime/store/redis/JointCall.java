package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;

import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Response;

/**
 * A call that can share one command with others of its group. While a command of the group is in flight, calls of the group
 * gather and share the next one. When none is in flight, a call is sent at once. See {@link #isAwaited()} for an exception.
 *
 * @param <T> the answer
 */
public interface JointCall<T> extends RedisCall<T> {

    /** Calls of equal groups share commands, and are answered in the order in which they came. */
    Object group();

    /** How many answers the reply has for this call. */
    int size();

    /** How much of a command it takes, at least its size. */
    default int load() {
        return size();
    }

    /**
     * Whether a caller waits for the answer. Calls do not gather behind a command in which nobody waits for any answer: they
     * are sent right behind it.
     *
     * @return {@code false} for a call that is made in the background
     */
    default boolean isAwaited() {
        return true;
    }

    /**
     * Asks for all of these in one command, in this order.
     *
     * @param connection to Redis
     * @param calls calls of one group, this one among them
     * @return the reply
     */
    Future<Response> together(RedisConnection connection, List<? extends JointCall<?>> calls);

    /**
     * Finds the answer to this call.
     *
     * @param reply of the command in which this call went
     * @param before how many answers to other calls come before
     * @return the answer
     */
    T answer(Response reply, int before);

    /** Asks for this call alone. */
    @Override
    default Future<T> over(RedisConnection connection) {
        return together(connection, List.of(this)).map(reply -> answer(reply, 0));
    }
}
