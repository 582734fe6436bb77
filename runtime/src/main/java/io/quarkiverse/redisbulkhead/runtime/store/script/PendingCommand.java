package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.util.concurrent.CompletableFuture;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A command that a caller waits for, from {@link RedisLink#send} until it is answered or given up. */
final class PendingCommand {

    final long deadlineNanos;
    final CompletableFuture<RedisAnswer> answer = new CompletableFuture<>();

    private final ScriptCall call;

    // All of these are touched on the context of the link only.
    private boolean byText;
    private int copies;
    private RedisSession sentOver;

    PendingCommand(ScriptCall call, long deadlineNanos) {
        this.call = call;
        this.deadlineNanos = deadlineNanos;
    }

    /** What to send now. */
    Request request() {
        return byText ? call.byText() : call.byDigest();
    }

    /** The command is handed to a connection. From now on it may be carried out, even if no answer comes. */
    void sending(RedisSession session) {
        copies = copies + 1;
        sentOver = session;
    }

    /**
     * The server did not know the script. That copy of the command is answered and did nothing.
     *
     * @return whether there is another form to send
     */
    boolean useText() {
        if (byText) {
            return false;
        }
        byText = true;
        copies = copies - 1;
        return true;
    }

    /** The connection that the command was last sent over, or null when it never was. */
    RedisSession sentOver() {
        return sentOver;
    }

    boolean isExpired(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    void succeed(Response response) {
        answer.complete(new RedisAnswer(response, copies > 1));
    }

    /** The key that names the bulkhead in messages. */
    byte[] firstKey() {
        return call.keys().get(0);
    }

    /** The server refuses the command. An earlier copy may have been carried out all the same. */
    void refuse(ErrorReply refusal) {
        answer.completeExceptionally(new StoreException(refusal.explanation(), copies > 1 || refusal.mayHaveWritten(), null));
    }

    /** Gives the command up; whether its outcome is unknown follows from whether a copy of it is unanswered. */
    boolean fail(String message, Throwable cause) {
        return answer.completeExceptionally(new StoreException(message, copies > 0, cause));
    }
}
