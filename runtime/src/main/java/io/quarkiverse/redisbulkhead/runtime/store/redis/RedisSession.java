package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/**
 * One connection while it lasts. Commands are pipelined: many are on their way at once, up to a bound; the rest queue
 * here, because the client refuses a command that finds its own waiting list full. Of a group of {@linkplain JointCall joint
 * calls} one command is on its way at once. When Redis refuses a command in which several calls went, each of them is sent
 * again on its own, so that none pays for another.
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
    private final Outbox outbox = new Outbox();
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

    /** Takes a call that {@link #flush} sends. */
    void add(PendingCall<?> call) {
        outbox.add(call);
    }

    /** Sends what was added, as far as there is room. */
    void flush() {
        sendNext(call -> {
        });
    }

    private void sendNext(Consumer<PendingCall<?>> before) {
        while (!over && inFlight < maxInFlight) {
            Shipment next = outbox.next();
            if (next == null) {
                return;
            }
            inFlight++;
            next.calls().forEach(before);
            transmit(next);
        }
    }

    private void transmit(Shipment shipment) {
        shipment.transmit(this, connection).onComplete(result -> {
            inFlight--;
            if (result.succeeded()) {
                outbox.isBack(shipment);
                outcome.answered();
                // Before callers learn of their answers, so that Redis works while they do.
                sendNext(PendingCall::turnHasCome);
                shipment.deliver(result.result());
            } else {
                // First, so that calls that are to go again go before those that came after them.
                failed(shipment, result.cause());
                outbox.isBack(shipment);
                sendNext(PendingCall::turnHasCome);
            }
        });
    }

    private void failed(Shipment shipment, Throwable failure) {
        List<PendingCall<?>> calls = shipment.calls();
        Optional<ErrorReply> refusal = ErrorReply.of(failure);
        if (refusal.isPresent() && calls.size() > 1 && !refusal.get().is(ErrorReply.READONLY)) {
            outcome.answered();
            calls.forEach(call -> call.goAlone(refusal.get()));
            calls.forEach(call -> again(call, failure));
        } else if (refusal.isPresent()) {
            calls.forEach(call -> outcome.refused(this, call, refusal.get()));
        } else if (isOfClient(failure)) {
            calls.forEach(call -> outcome.broken(this, call, failure));
        } else {
            outcome.answered();
            calls.forEach(call -> call.failed(failure));
        }
    }

    private void again(PendingCall<?> call, Throwable failure) {
        if (over) {
            outcome.broken(this, call, failure);
        } else {
            outbox.add(call);
        }
    }

    // Redis's error replies come as a Throwable that is no Exception; for a lost connection the client has exceptions of its own.
    private static boolean isOfClient(Throwable failure) {
        return !(failure instanceof RuntimeException) || failure instanceof VertxException;
    }

    /**
     * Sends nothing any more.
     *
     * @return the calls that were never sent over this connection
     */
    List<PendingCall<?>> end() {
        over = true;
        return outbox.clear();
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
