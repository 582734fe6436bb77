package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.store.redis.ErrorReply;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Sends several commands at once over one connection, to one server. */
enum Pipeline {

    /** For one server, and for Sentinel. */
    TO_A_SERVER {

        @Override
        Future<List<Response>> send(RedisConnection connection, List<Request> commands) {
            List<Future<Response>> replies = commands.stream().map(connection::send).toList();
            return Future.join(replies)
                    .transform(all -> firstFailure(replies).<Future<List<Response>>> map(Future::failedFuture)
                            .orElseGet(() -> Future.succeededFuture(replies.stream().map(Future::result)
                                    .collect(ArrayList::new, List::add, List::addAll))));
        }
    },

    /**
     * For a cluster: the client sends a batch to the node of the first key in it, also what has no key, such as
     * {@code TIME} and {@code MULTI}. It handles the replies on several threads at once, and in doing so may lose
     * errors; therefore only there.
     */
    TO_A_CLUSTER {

        @Override
        Future<List<Response>> send(RedisConnection connection, List<Request> commands) {
            return connection.batch(commands);
        }
    };

    /**
     * Sends.
     *
     * @param commands in this order; in a cluster at least one has a key
     * @return the replies in the same order, null where Redis has nothing to say; fails when the connection is lost, or with
     *         the
     *         first reply that is an error
     */
    abstract Future<List<Response>> send(RedisConnection connection, List<Request> commands);

    // A lost connection tells more than an error before it.
    private static Optional<Throwable> firstFailure(List<Future<Response>> replies) {
        List<Throwable> failures = replies.stream().filter(Future::failed).map(Future::cause).toList();
        return failures.stream().filter(failure -> ErrorReply.of(failure).isEmpty()).findFirst()
                .or(() -> failures.stream().findFirst());
    }
}
