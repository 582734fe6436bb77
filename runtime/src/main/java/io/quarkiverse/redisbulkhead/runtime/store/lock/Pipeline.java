package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.store.redis.ErrorReply;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Sends several commands at once over one connection. */
final class Pipeline {

    private Pipeline() {
    }

    /**
     * Sends. Not as a batch of the client, which handles replies on several threads and may lose errors.
     *
     * @param commands in this order
     * @return the replies in the same order, null where Redis has nothing to say; fails when the connection is lost, or with
     *         the
     *         first reply that is an error
     */
    static Future<List<Response>> send(RedisConnection connection, List<Request> commands) {
        List<Future<Response>> replies = commands.stream().map(connection::send).toList();
        return Future.join(replies)
                .transform(all -> firstFailure(replies).<Future<List<Response>>> map(Future::failedFuture)
                        .orElseGet(() -> Future.succeededFuture(replies.stream().map(Future::result)
                                .collect(ArrayList::new, List::add, List::addAll))));
    }

    // A lost connection tells more than an error before it.
    private static Optional<Throwable> firstFailure(List<Future<Response>> replies) {
        List<Throwable> failures = replies.stream().filter(Future::failed).map(Future::cause).toList();
        return failures.stream().filter(failure -> ErrorReply.of(failure).isEmpty()).findFirst()
                .or(() -> failures.stream().findFirst());
    }
}
