package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

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
    public interface Connection {

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
