package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.util.concurrent.CompletableFuture;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A command that a caller waits for, from {@link RedisLink#send} until it is answered or given up. */
final class PendingCommand {

    final Request request;
    final long deadlineNanos;
    final CompletableFuture<Response> reply = new CompletableFuture<>();

    // Written before the command is handed to the connection. Once set, an unanswered command may have been carried out.
    private volatile RedisSession sentOver;

    PendingCommand(Request request, long deadlineNanos) {
        this.request = request;
        this.deadlineNanos = deadlineNanos;
    }

    void markSent(RedisSession session) {
        sentOver = session;
    }

    /** The connection that the command was last sent over, or null when it never was. */
    RedisSession sentOver() {
        return sentOver;
    }

    boolean isExpired(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Gives the command up; whether its outcome is unknown follows from whether it was ever sent. */
    boolean fail(String message, Throwable cause) {
        return reply.completeExceptionally(new StoreException(message, sentOver != null, cause));
    }
}
