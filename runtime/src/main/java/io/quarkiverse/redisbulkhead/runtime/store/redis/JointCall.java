package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;

import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Response;

/**
 * A call that can share one command with others of its group. While a command of the group is on its way, calls of the group
 * gather, and go together in the next one. When nothing is on its way, a call goes at once.
 *
 * @param <T> the answer
 */
public interface JointCall<T> extends RedisCall<T> {

    /** Calls of equal groups go together; of a group, one command is on its way at a time. */
    Object group();

    /** How many answers the reply has for this call; also how much of a command it takes. */
    int size();

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
