package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;

/**
 * A call to Redis, from {@link RedisConnectionManager#send} until it is answered or given up: one command, or several over one
 * connection that depend on each other. It may be carried out more than once without harm. An instance is sent once.
 * <p>
 * Used on the context of the {@link RedisConnectionManager}, except for the result.
 *
 * @param <T> the result
 */
public abstract class RedisCall<T> {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    /** A connection as calls see it. Other calls may use it at the same time. */
    @FunctionalInterface
    public interface Connection extends Commands {
    }

    /**
     * What {@link #over} fails with when an error came before an earlier call was answered that it must follow. The call then
     * fails with this exception, and its sender repeats it.
     */
    static final class OutOfOrderException extends RuntimeException {

        private static final long serialVersionUID = 1;

        OutOfOrderException() {
            super("a refusal came out of order", null, false, false);
        }
    }

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private int copies;
    private Backoff backoff;
    private String lastRefusal;

    /** When the server got the call, in its ticks. */
    long beganTick;
    /** For how long other servers had the call before. */
    long elapsedTicks;
    /** How often a node of a cluster named another one. */
    int redirects;
    /** Whether the call is preceded by {@code ASKING}, because a node redirected it with {@code ASK}. */
    boolean asking;

    /**
     * A call with one command.
     *
     * @param about what the call is, for messages: its command or keys, without the key value of a user
     * @param routingKey a key that decides which node of a cluster gets the call; null when any node will do
     * @param sender sends the command
     */
    public static <T> RedisCall<T> of(String about, byte[] routingKey, Function<Connection, Future<T>> sender) {
        return new RedisCall<>() {

            @Override
            protected Future<T> over(Connection connection) {
                return sender.apply(connection);
            }

            @Override
            protected byte[] routingKey() {
                return routingKey;
            }

            @Override
            protected String about() {
                return about;
            }
        };
    }

    // ---- What a call is

    /**
     * Sends the call. Called again, over another connection, when the first one breaks, and after a transient error.
     *
     * @return the result; fails with what the client fails with, or with a {@link StoreException} that is for the caller
     */
    protected abstract Future<T> over(Connection connection);

    /** What the call is, for messages: its command or keys, without the key value of a user. */
    protected abstract String about();

    /** A key that decides which node of a cluster gets the call; null when any node will do. */
    protected byte[] routingKey() {
        return null;
    }

    /** Whether a refusal may have come in the middle of the work. */
    protected boolean mayHaveBegunBefore(ErrorReply refusal) {
        return false;
    }

    /** Whether a copy of the call may have been carried out, or may still be. */
    protected boolean mayHaveBeenCarriedOut() {
        return copies > 0;
    }

    /** Whether a refusal is logged; not where the caller does that. */
    protected boolean logsRefusal() {
        return true;
    }

    // ---- What has become of it

    final CompletableFuture<T> result() {
        return result;
    }

    final boolean isDone() {
        return result.isDone();
    }

    /** The call is handed to a connection. From now on it may be carried out, even if no reply comes. */
    final void sent() {
        copies++;
    }

    /** Redis refused the copy that was sent last. Unless the error came in the middle of its work, nothing was done. */
    final void refusedBefore(ErrorReply refusal) {
        if (!mayHaveBegunBefore(refusal)) {
            copies--;
        }
    }

    /** Whether an earlier copy than the answered one may have been carried out, or may still be. */
    final boolean isRepeated() {
        return copies > 1;
    }

    /** The transient error that Redis answered with last; null if it did not. */
    final String lastRefusal() {
        return lastRefusal;
    }

    /** The pause after a transient error. */
    final Duration pauseAfter(String refusal) {
        if (lastRefusal == null) {
            backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
        }
        lastRefusal = refusal;
        return backoff.next();
    }

    final void complete(T value) {
        result.complete(value);
    }

    final void fail(Throwable failure) {
        result.completeExceptionally(failure);
    }

    /** Redis refuses the call permanently. It may still have executed an earlier copy. */
    final void refuse(ErrorReply refusal, String explanation) {
        refusedBefore(refusal);
        fail(new RefusedException(refusal, explanation, mayHaveBeenCarriedOut()));
    }

    /** There was a reply, but not one that answers the call. */
    final void notUnderstood(Throwable failure) {
        fail(ServerCall.unexpectedReply(about(), mayHaveBeenCarriedOut(), failure));
    }
}
