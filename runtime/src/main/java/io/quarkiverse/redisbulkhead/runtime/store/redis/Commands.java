package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** Sends commands over one connection. */
public interface Commands {

    /** Sends a command. */
    Future<Response> send(Request command);

    /**
     * Sends several commands at once. Not as a batch of the client, which handles replies on several threads and may lose
     * errors.
     *
     * @return the replies in the same order, null where Redis has nothing to say; fails when the connection is lost, or
     *         with the first reply that is an error
     */
    default Future<List<Response>> sendAll(List<Request> commands) {
        List<Future<Response>> replies = commands.stream().map(this::send).toList();
        return Future.join(replies)
                .transform(all -> firstFailure(replies).<Future<List<Response>>> map(Future::failedFuture)
                        .orElseGet(() -> Future.succeededFuture(replies.stream().map(Future::result)
                                .collect(ArrayList::new, List::add, List::addAll))));
    }

    // A lost connection is more relevant than an earlier error.
    private static Optional<Throwable> firstFailure(List<Future<Response>> replies) {
        List<Throwable> failures = replies.stream().filter(Future::failed).map(Future::cause).toList();
        return failures.stream().filter(failure -> ErrorReply.of(failure).isEmpty()).findFirst()
                .or(() -> failures.stream().findFirst());
    }

    /**
     * Sends a transaction.
     *
     * @param commands what comes between {@code MULTI} and {@code EXEC}
     * @return the replies in the same order; empty when nothing was carried out because a watched key had changed; fails
     *         with the first reply that is an error
     */
    default Future<Optional<List<Response>>> transaction(List<Request> commands) {
        List<Request> all = new ArrayList<>();
        all.add(Request.cmd(Command.MULTI));
        all.addAll(commands);
        all.add(Request.cmd(Command.EXEC));
        return sendAll(all).compose(replies -> {
            Response results = replies.get(replies.size() - 1);
            if (results == null) {
                return Future.succeededFuture(Optional.empty());
            }
            List<Response> list = new ArrayList<>();
            results.forEach(list::add);
            return list.stream().filter(result -> result != null && result.type() == ResponseType.ERROR).findFirst()
                    .<Future<Optional<List<Response>>>> map(error -> Future.failedFuture((Throwable) error))
                    .orElseGet(() -> Future.succeededFuture(Optional.of(list)));
        });
    }
}
