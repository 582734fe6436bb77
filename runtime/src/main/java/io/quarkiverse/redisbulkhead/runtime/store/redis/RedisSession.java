package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/**
 * One connection while it lasts. Calls are pipelined: many are on their way at once, up to a bound; the rest queue
 * here, because the client refuses a call that finds its own waiting list full.
 * <p>
 * Everything happens on the context of the {@link RedisLink}.
 */
final class RedisSession {

    private static final Logger LOG = Logger.getLogger(RedisSession.class);

    /** Told how each call ended. */
    interface Outcome {

        void answered();

        void refused(RedisSession session, PendingCall<?> call, ErrorReply refusal);

        void broken(RedisSession session, PendingCall<?> call, Throwable cause);
    }

    // How long a doomed connection gets to notice that it is tainted, see discard().
    private static final long DISCARD_DELAY_MILLIS = 100;

    private final Vertx vertx;
    private final RedisConnection connection;
    private final Outcome outcome;
    private final int maxInFlight;
    private final Queue<PendingCall<?>> backlog = new ArrayDeque<>();
    private int inFlight;
    private boolean over;

    RedisSession(Vertx vertx, RedisConnection connection, int maxInFlight, Outcome outcome, Consumer<RedisSession> onEnd) {
        this.vertx = vertx;
        this.connection = connection;
        this.maxInFlight = maxInFlight;
        this.outcome = outcome;
        connection.endHandler(end -> onEnd.accept(this));
        connection.exceptionHandler(failure -> onEnd.accept(this));
    }

    void send(PendingCall<?> call) {
        backlog.add(call);
        sendNext(next -> {
        });
    }

    private void sendNext(Consumer<PendingCall<?>> before) {
        while (!over && inFlight < maxInFlight && !backlog.isEmpty()) {
            PendingCall<?> next = backlog.poll();
            if (!next.answer.isDone()) {
                inFlight++;
                before.accept(next);
                transmit(next);
            }
        }
    }

    private void transmit(PendingCall<?> call) {
        call.transmit(this, connection).onComplete(result -> {
            inFlight--;
            if (result.succeeded()) {
                outcome.answered();
            } else {
                Optional<ErrorReply> refusal = ErrorReply.of(result.cause());
                refusal.ifPresentOrElse(reply -> outcome.refused(this, call, reply),
                        () -> outcome.broken(this, call, result.cause()));
            }
            sendNext(PendingCall::turnHasCome);
        });
    }

    /**
     * Sends nothing any more.
     *
     * @return the calls that were never sent over this connection
     */
    List<PendingCall<?>> end() {
        over = true;
        List<PendingCall<?>> unsent = List.copyOf(backlog);
        backlog.clear();
        return unsent;
    }

    /** Gives the connection back to the client, which closes it when the application stops. */
    void close() {
        connection.endHandler(null);
        connection.exceptionHandler(null);
        connection.close();
    }

    /**
     * Closes the connection for good, whatever state it is in. Closing alone would put it back into the client's
     * pool, where the next user would find it dead; the client closes those that are tainted, as UNSUBSCRIBE leaves
     * them.
     */
    void discard() {
        connection.endHandler(null);
        connection.exceptionHandler(null);
        connection.handler(confirmation -> LOG.trace("A connection to Redis is closed"));
        connection.send(Request.cmd(Command.UNSUBSCRIBE));
        vertx.setTimer(DISCARD_DELAY_MILLIS, timer -> connection.close());
    }
}
