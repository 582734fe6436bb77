package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.List;
import java.util.Optional;

import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** How transactions end. */
final class Transactions {

    private Transactions() {
    }

    /**
     * What {@code EXEC} said.
     *
     * @param replies those of all commands from {@code MULTI} to {@code EXEC}
     * @return the replies of the commands between the two; empty when nothing was carried out, because something that was
     *         watched had changed; fails with the first reply that is an error
     */
    static Future<Optional<Response>> results(List<Response> replies) {
        Response results = replies.get(replies.size() - 1);
        if (results == null) {
            return Future.succeededFuture(Optional.empty());
        }
        for (Response result : results) {
            if (result != null && result.type() == ResponseType.ERROR) {
                return Future.failedFuture((Throwable) result);
            }
        }
        return Future.succeededFuture(Optional.of(results));
    }
}
