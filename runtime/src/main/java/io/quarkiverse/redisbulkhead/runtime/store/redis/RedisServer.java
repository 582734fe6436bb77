package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.netty.handler.codec.CodecException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One Redis server: its connections, the calls in flight, and whether it is available.
 * <p>
 * A call is sent again when its connection breaks or the server replies with a transient error, so every call must be
 * idempotent. The server is <em>away</em> when, with calls in flight, nothing but transient failures has come from it for
 * the command timeout. Then all calls fail at once until a write succeeds.
 * <p>
 * Silence is counted in timer ticks. The event loop reads between two ticks, so a pause of this process counts as one tick.
 * <p>
 * Runs on the context of {@link RedisConnectionManager}.
 */
final class RedisServer {

    private static final Logger LOG = Logger.getLogger(RedisServer.class);

    private static final int TICKS_PER_TIMEOUT = 20;
    /** Calls fail after this many command timeouts, even if others are answered. */
    private static final int MAX_TIMEOUTS = 10;
    private static final int FIRST_BACKOFF_MILLIS = 10;
    private static final int LONGEST_BACKOFF_MILLIS = 200;
    private static final int FIRST_PROBE_BACKOFF_MILLIS = 100;
    private static final int LONGEST_PROBE_BACKOFF_MILLIS = 500;
    /** Authentication is retried at most this often. */
    private static final int REFUSED_BACKOFF_MILLIS = 2_000;
    /** No attempt to connect takes longer, however often earlier ones were too short. */
    private static final long LONGEST_ATTEMPT_MILLIS = 5_000;
    private static final long SHORTEST_ATTEMPT_MILLIS = 1_000;
    private static final int MAX_REDIRECTS = 16;
    private static final int MAX_REDIRECTS_AT_ONCE = 3;

    /** Receives the events of a server. */
    interface Listener {

        /** The server has become unavailable, or available again. */
        void availabilityChanged(RedisServer server);

        /** A connection was opened again after another one was lost. */
        void reconnected(RedisServer server);

        /** A connection was lost or could not be opened; in a cluster another node may have taken over. */
        void connectionFailed(RedisServer server);

        /** Another node of the cluster has the data. */
        void redirected(RedisServer server, PendingCall<?> call, ErrorReply.Redirection to);
    }

    /**
     * Why calls fail immediately.
     *
     * @param temporary whether the server may be back at any moment, without a change of a setting
     */
    private record Outage(String message, Throwable cause, boolean temporary) {
    }

    /** An open connection, and the commands in flight, in order. */
    private static final class OpenConnection {
        private final Redis client;
        private final RedisConnection redis;
        private final Deque<Shipment> inFlight = new ArrayDeque<>();
        private int silentTicks;
        private boolean closed;

        private OpenConnection(Redis client, RedisConnection redis) {
            this.client = client;
            this.redis = redis;
        }
    }

    /** One try to open a connection, or to write over one while the server is away. */
    private static final class Attempt {
        private int ticks;
        private boolean over;
        private Runnable abandon;
    }

    private final Vertx vertx;
    private final Context context;
    private final String label;
    private final String properties;
    private final Supplier<Redis> clients;
    private final long timeoutMillis;
    private final long tickMillis;
    private final int maxConnections;
    private final int maxInFlight;
    private final Listener listener;
    private final RefusalLog refusals = new RefusalLog();

    private Outbox outbox = new Outbox();
    /** All calls that may not have ended, the oldest first. */
    private final Queue<PendingCall<?>> pending = new ArrayDeque<>();
    private final List<OpenConnection> connections = new ArrayList<>();
    private Attempt attempt;
    private int attemptTimeouts;
    private boolean retryPlanned;
    private int backoffMillis;
    private boolean wasConnected;
    private String lastError;
    private boolean isReplica;
    private long tick;
    private int silentTicks;
    private boolean ticking;
    private Outage outage;
    private byte[] keysOfProbe;
    private boolean closed;

    /**
     * @param label what the server is called in messages; without secrets
     * @param properties what the properties of its client start with, for messages: {@code quarkus.redis}
     * @param clients makes a client of the server; called on the context, so that connections belong to its event loop
     * @param keyPrefix what the key starts with that a probe writes before any call has named others
     * @param timeoutMillis after what silence the server is away
     * @param maxConnections how many connections there may be
     * @param maxInFlight how many commands may be unanswered over each
     */
    RedisServer(Vertx vertx, Context context, String label, String properties, Supplier<Redis> clients, String keyPrefix,
            long timeoutMillis, int maxConnections, int maxInFlight, Listener listener) {
        this.vertx = vertx;
        this.context = context;
        this.label = label;
        this.properties = properties;
        this.clients = clients;
        this.keysOfProbe = (keyPrefix + ":{}:").getBytes(StandardCharsets.UTF_8);
        this.timeoutMillis = Math.max(1, timeoutMillis);
        this.tickMillis = Math.max(1, this.timeoutMillis / TICKS_PER_TIMEOUT);
        this.maxConnections = maxConnections;
        this.maxInFlight = maxInFlight;
        this.listener = listener;
    }

    boolean isAway() {
        return outage != null;
    }

    /** Takes a call that {@link #flush} sends. */
    void submit(PendingCall<?> call) {
        if (closed) {
            call.fail(RedisConnectionManager.stopping());
        } else if (outage != null) {
            call.fail(failure(outage, call));
        } else {
            removeCompleted();
            if (pending.isEmpty()) {
                silentTicks = 0;
            }
            call.beganTick = tick;
            pending.add(call);
            outbox.add(call);
            startTicking();
        }
    }

    /** Sends what was submitted, as far as there is room, and connects where there is none. */
    void flush() {
        for (OpenConnection connection : List.copyOf(connections)) {
            send(connection);
        }
        if (!outbox.isEmpty()) {
            connect();
        }
    }

    /**
     * Whether a node that has no slots any more is of no use: without a connection, or without calls, as slots may just move to
     * it.
     */
    boolean mayRetire() {
        removeCompleted();
        return connections.isEmpty() || pending.isEmpty();
    }

    /** Leaves the present connection for one that a new client opens, which may be to another node. */
    void moveOn() {
        if (outage == null) {
            List.copyOf(connections).forEach(
                    connection -> connectionLost(connection, new StoreException("another node is asked", false, null)));
        }
    }

    /** Connects, if nothing is connected. */
    void warmUp() {
        if (connections.isEmpty()) {
            connect();
        }
    }

    private void send(OpenConnection connection) {
        while (!connection.closed && outage == null && connection.inFlight.size() < maxInFlight) {
            Shipment next = outbox.next();
            if (next == null) {
                return;
            }
            PendingCall<?> first = next.calls().get(0);
            if (first.call().routingKey() != null) {
                keysOfProbe = first.call().routingKey();
            }
            connection.inFlight.add(next);
            RedisConnection over = new CallConnection(connection.redis, first.asking, reply -> progress(connection, reply));
            next.transmit(over).onComplete(result -> {
                if (connection.closed) {
                    resendIfUnbatched(next);
                } else {
                    connection.inFlight.remove(next);
                    connection.silentTicks = 0;
                    if (result.succeeded()) {
                        answered(connection, next, result.result());
                    } else {
                        failed(connection, next, result.cause());
                    }
                }
            });
        }
    }

    // A call may take several round trips, for example to load a script.
    private void progress(OpenConnection connection, AsyncResult<Response> reply) {
        boolean isAlive = reply.succeeded()
                || ErrorReply.of(reply.cause()).filter(error -> !error.isTransient() && !error.isAuthenticationMissing())
                        .isPresent();
        if (isAlive && !connection.closed) {
            connection.silentTicks = 0;
            silentTicks = 0;
        }
    }

    private void answered(OpenConnection connection, Shipment shipment, Object reply) {
        replied();
        if (outbox.isInOrder(shipment)) {
            outbox.isBack(shipment);
            // Send before completing callers, so that Redis works meanwhile.
            send(connection);
            shipment.deliver(reply);
        } else {
            outbox.repeat(shipment);
            send(connection);
        }
    }

    private void failed(OpenConnection connection, Shipment shipment, Throwable failure) {
        Optional<ErrorReply> error = ErrorReply.of(failure);
        if (error.isEmpty()) {
            if (isOfClient(failure)) {
                connectionLostDuring(shipment, connection, failure);
            } else {
                replied();
                outbox.isBack(shipment);
                shipment.calls().forEach(call -> call.notUnderstood(failure));
                send(connection);
            }
            return;
        }
        ErrorReply reply = error.get();
        Optional<ErrorReply.Redirection> redirection = reply.redirection();
        if (!outbox.isInOrder(shipment)) {
            shipment.calls().forEach(call -> call.refusedBefore(reply));
            outbox.repeat(shipment);
        } else if (redirection.isPresent()) {
            replied();
            outbox.isBack(shipment);
            shipment.calls().forEach(call -> redirect(call, reply, redirection.get()));
        } else if (reply.isTransient() || reply.isAuthenticationMissing()) {
            retryLater(connection, shipment, reply);
        } else if (shipment.calls().size() > 1) {
            replied();
            // Before others of the group may go.
            shipment.calls().forEach(call -> {
                call.refusedBefore(reply);
                call.goAlone();
                outbox.add(call);
            });
            outbox.isBack(shipment);
        } else {
            replied();
            outbox.isBack(shipment);
            PendingCall<?> call = shipment.calls().get(0);
            refuse(call, reply);
        }
        send(connection);
    }

    // Error replies are no RuntimeExceptions. Neither are the connection errors of the client, except for these; TLS errors are the latter.
    private static boolean isOfClient(Throwable failure) {
        return !(failure instanceof RuntimeException) || failure instanceof VertxException
                || failure instanceof CodecException;
    }

    /** Ends a call that Redis refuses for good. */
    void refuse(PendingCall<?> call, ErrorReply reply) {
        String explanation = reply.explanation(properties);
        if (call.call().logsRefusal()) {
            refusals.log(call.about(), explanation);
        }
        call.refuse(reply, explanation);
    }

    private void redirect(PendingCall<?> call, ErrorReply reply, ErrorReply.Redirection to) {
        call.refusedBefore(reply);
        if (++call.redirects > MAX_REDIRECTS) {
            refuse(call, reply);
        } else if (!call.answer.isDone()) {
            pending.remove(call);
            call.elapsedTicks += tick - call.beganTick;
            if (call.redirects <= MAX_REDIRECTS_AT_ONCE) {
                listener.redirected(this, call, to);
            } else {
                // Two nodes name each other for a moment while a slot moves.
                vertx.setTimer(backoff(call.redirects), timer -> listener.redirected(this, call, to));
            }
        }
    }

    // After a back-off, and over a new connection where another server may have been promoted.
    private void retryLater(OpenConnection connection, Shipment shipment, ErrorReply reply) {
        lastError = reply.explanation(properties);
        isReplica = reply.is(ErrorReply.READONLY);
        shipment.calls().forEach(call -> {
            call.refusedBefore(reply);
            call.retries++;
        });
        if (reply.passesOnThisConnection()) {
            pause(shipment);
        } else {
            connectionLostDuring(shipment, connection, new StoreException(lastError, false, null));
        }
    }

    // Later calls of the group wait as well, so that none overtakes another.
    private void pause(Shipment shipment) {
        int retries = shipment.calls().stream().mapToInt(call -> call.retries).max().orElse(0);
        Outbox current = outbox;
        if (shipment.group() == null) {
            vertx.setTimer(backoff(retries), timer -> resend(shipment.calls().get(0)));
        } else if (outbox.pause(shipment)) {
            vertx.setTimer(backoff(retries), timer -> {
                if (current == outbox && !closed) {
                    outbox.resume(shipment.group());
                    flush();
                }
            });
        }
    }

    private void resend(PendingCall<?> call) {
        if (outage == null && !closed && !call.answer.isDone()) {
            outbox.add(call);
            flush();
        }
    }

    // The steps of a call depend on each other, so its first try has to end before the next one begins.
    private void resendIfUnbatched(Shipment shipment) {
        if (shipment.group() == null) {
            resend(shipment.calls().get(0));
        }
    }

    private static long backoff(int retries) {
        int longest = Math.min(LONGEST_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS << Math.min(retries, 10));
        return ThreadLocalRandom.current().nextLong(longest / 2, longest) + 1;
    }

    // Any reply but a transient error shows that the server is available.
    private void replied() {
        silentTicks = 0;
        isReplica = false;
        backoffMillis = 0;
        lastError = null;
    }

    private void connectionLostDuring(Shipment shipment, OpenConnection connection, Throwable cause) {
        connectionLost(connection, cause);
        resendIfUnbatched(shipment);
    }

    private void connectionLost(OpenConnection connection, Throwable cause) {
        if (connection.closed) {
            return;
        }
        end(connection);
        lastError = cause instanceof StoreException ? cause.getMessage() : "the connection was lost: " + Redacted.reason(cause);
        LOG.debugf("%s: %s", label, lastError);
        // In their old order: releases that were not answered go before later acquires.
        outbox.clear().stream().filter(call -> !call.answer.isDone()).forEach(outbox::add);
        listener.connectionFailed(this);
        retry();
    }

    // Closing the client is the only way to end a connection that is silent, so each connection has a client of its own.
    private void end(OpenConnection connection) {
        connection.closed = true;
        connections.remove(connection);
        connection.redis.endHandler(null);
        connection.redis.exceptionHandler(null);
        connection.client.close();
    }

    private void retry() {
        if (!retryPlanned && !closed) {
            retryPlanned = true;
            int longest = outage == null ? LONGEST_BACKOFF_MILLIS
                    : outage.temporary ? LONGEST_PROBE_BACKOFF_MILLIS : REFUSED_BACKOFF_MILLIS;
            int first = outage == null ? FIRST_BACKOFF_MILLIS : FIRST_PROBE_BACKOFF_MILLIS;
            backoffMillis = Math.min(longest, Math.max(first, 2 * backoffMillis));
            vertx.setTimer(backoffMillis / 2 + ThreadLocalRandom.current().nextInt(backoffMillis / 2 + 1) + 1, timer -> {
                retryPlanned = false;
                connect();
            });
        }
    }

    private void connect() {
        if (closed || attempt != null || retryPlanned) {
            return;
        }
        if (outage != null && !connections.isEmpty()) {
            probe(connections.get(0));
        } else if (connections.isEmpty() || connections.size() < maxConnections && !outbox.isEmpty()) {
            open();
        }
    }

    private void open() {
        Attempt current = new Attempt();
        attempt = current;
        Redis client;
        Future<RedisConnection> opening;
        try {
            client = clients.get();
            opening = client.connect();
        } catch (RuntimeException e) {
            // Wrong options, or Vert.x is closed.
            current.over = true;
            attempt = null;
            beginOutage(new Outage(label + " cannot be used: " + Redacted.reason(e), Redacted.failure(e), false));
            retry();
            return;
        }
        current.abandon = client::close;
        startTicking();
        opening.compose(connection -> {
            // The handshake and the first command have their time each.
            current.ticks = 0;
            silentTicks = lastError == null ? 0 : silentTicks;
            return verifyAuthentication(connection).map(connection);
        }).onComplete(result -> {
            if (current.over) {
                client.close();
            } else if (result.succeeded()) {
                connected(current, new OpenConnection(client, result.result()));
            } else {
                // In a cluster, the next client may be that of another node.
                client.close();
                attemptFailed(current, result.cause());
            }
        });
    }

    // Without a configured password, the client does not notice that the server requires one.
    private static Future<Void> verifyAuthentication(RedisConnection connection) {
        return connection.send(Request.cmd(Command.PING)).<Void> mapEmpty().recover(failure -> {
            boolean refused = ErrorReply.of(failure).map(ErrorReply::isAuthenticationMissing).orElse(true);
            return refused ? Future.failedFuture(failure) : Future.succeededFuture();
        });
    }

    private void connected(Attempt current, OpenConnection connection) {
        current.over = true;
        attempt = null;
        attemptTimeouts = 0;
        connections.add(connection);
        Consumer<Throwable> onEnd = cause -> context.runOnContext(now -> connectionLost(connection, cause));
        connection.redis.endHandler(end -> onEnd.accept(new VertxException("closed by the server", true)));
        connection.redis.exceptionHandler(onEnd::accept);
        if (lastError == null) {
            // The first thing that comes from a server is its handshake.
            silentTicks = 0;
        }
        if (outage != null) {
            probe(connection);
            return;
        }
        List.copyOf(connections).stream().filter(this::isSilent)
                .forEach(silent -> connectionLost(silent, new StoreException("no reply to what was sent", true, null)));
        announceReconnection();
        flush();
    }

    private void announceReconnection() {
        if (wasConnected) {
            listener.reconnected(this);
        }
        wasConnected = true;
    }

    private void attemptFailed(Attempt current, Throwable cause) {
        if (current.over) {
            return;
        }
        current.over = true;
        attempt = null;
        Optional<ErrorReply> refusal = ErrorReply.of(cause).filter(ErrorReply::refusesConnection);
        lastError = refusal.map(reply -> reply.explanation(properties))
                .orElseGet(() -> "cannot connect: " + Redacted.reason(cause) + " (" + properties + ".hosts)");
        LOG.debugf("%s: %s", label, lastError);
        if (refusal.isPresent() && connections.isEmpty() && (outage == null || outage.temporary)) {
            beginOutage(new Outage(label + " refuses the connection. " + lastError, Redacted.failure(cause), false));
        }
        listener.connectionFailed(this);
        if (outage != null || !outbox.isEmpty()) {
            retry();
        }
    }

    // While the server is away: only what can write is back.
    private void probe(OpenConnection connection) {
        Attempt current = new Attempt();
        attempt = current;
        current.abandon = () -> end(connection);
        startTicking();
        connection.redis.send(Request.cmd(Command.SET).arg(probeKey()).arg("1").arg("PX").arg(1_000)).onComplete(result -> {
            if (current.over) {
                return;
            }
            current.over = true;
            attempt = null;
            Optional<ErrorReply> error = result.failed() ? ErrorReply.of(result.cause()) : Optional.empty();
            boolean answered = result.succeeded()
                    || error.isPresent() && !error.get().isTransient() && !error.get().isAuthenticationMissing();
            if (answered) {
                endOutage();
            } else {
                lastError = error.map(reply -> reply.explanation(properties)).orElseGet(() -> Redacted.reason(result.cause()));
                if (error.isEmpty() || !error.get().passesOnThisConnection()) {
                    end(connection);
                    listener.connectionFailed(this);
                }
                retry();
            }
        });
    }

    // Next to the keys of the last call, so in a slot of this node.
    private byte[] probeKey() {
        byte[] end = "probe".getBytes(StandardCharsets.UTF_8);
        byte[] key = Arrays.copyOf(keysOfProbe, keysOfProbe.length + end.length);
        System.arraycopy(end, 0, key, keysOfProbe.length, end.length);
        return key;
    }

    private void endOutage() {
        outage = null;
        replied();
        LOG.infof("%s is available again", label);
        announceReconnection();
        listener.availabilityChanged(this);
        flush();
    }

    private void beginOutage(Outage begun) {
        boolean isNew = outage == null;
        if (isNew || !begun.message().equals(outage.message())) {
            LOG.warnf("%s. Bulkheads follow on-outage until %s is available", begun.message(), label);
        }
        outage = begun;
        for (OpenConnection connection : List.copyOf(connections)) {
            end(connection);
        }
        List<PendingCall<?>> calls = List.copyOf(pending);
        pending.clear();
        outbox = new Outbox();
        calls.forEach(call -> call.fail(failure(begun, call)));
        if (isNew) {
            backoffMillis = 0;
            listener.availabilityChanged(this);
        }
    }

    private static StoreException failure(Outage outage, PendingCall<?> call) {
        return outage.temporary ? new StoreAwayException(outage.message, call.mayHaveBeenCarriedOut(), outage.cause)
                : new StoreException(outage.message, call.mayHaveBeenCarriedOut(), outage.cause);
    }

    private void startTicking() {
        if (!ticking && !closed) {
            ticking = true;
            vertx.setTimer(tickMillis, timer -> tick());
        }
    }

    private void tick() {
        tick++;
        removeCompleted();
        if (tick % TICKS_PER_TIMEOUT == 0) {
            pending.removeIf(call -> call.answer.isDone());
        }
        if (attempt != null && ++attempt.ticks > attemptTicks()) {
            abandonAttempt();
        }
        if (outage == null && !pending.isEmpty()) {
            replaceSilentConnections();
            silentTicks += isFirstHandshake() ? 0 : 1;
            if (silentTicks > TICKS_PER_TIMEOUT) {
                beginOutage(new Outage(label + " has not executed a command for " + timeoutMillis
                        + " ms (quarkus.redis-bulkhead.command-timeout)"
                        + (lastError == null ? "" : ". Last error: " + lastError), null, !isReplica));
                connect();
            } else {
                failOverdue();
            }
        }
        ticking = false;
        if (!pending.isEmpty() || attempt != null || outage != null) {
            startTicking();
        }
    }

    // The first handshake gets its time, however short the command timeout is.
    private boolean isFirstHandshake() {
        return !wasConnected && attempt != null && lastError == null && attempt.ticks * tickMillis < SHORTEST_ATTEMPT_MILLIS;
    }

    // Each attempt may take twice as long as the last, for machines that are slower than the command timeout.
    private long attemptTicks() {
        long first = Math.max(timeoutMillis, SHORTEST_ATTEMPT_MILLIS);
        long longest = Math.max(timeoutMillis, LONGEST_ATTEMPT_MILLIS);
        return Math.min(longest, first << Math.min(attemptTimeouts, 12)) / tickMillis;
    }

    private void abandonAttempt() {
        Attempt late = attempt;
        late.over = true;
        attempt = null;
        attemptTimeouts++;
        lastError = "connecting or probing timed out; Redis is silent, or has reached maxclients";
        late.abandon.run();
        listener.connectionFailed(this);
        retry();
    }

    // A connection can be dead though the server is not. Another one is opened in good time, and takes over what is in flight.
    private void replaceSilentConnections() {
        for (OpenConnection connection : List.copyOf(connections)) {
            connection.silentTicks += connection.inFlight.isEmpty() ? 0 : 1;
            if (isSilent(connection) && connections.size() > 1) {
                connectionLost(connection, new StoreException("no reply to what was sent", true, null));
            } else if (isSilent(connection) && attempt == null && !retryPlanned) {
                open();
            }
        }
    }

    // A call that takes several round trips has more time.
    private boolean isSilent(OpenConnection connection) {
        return connection.silentTicks > (maxInFlight == 1 ? 3 * TICKS_PER_TIMEOUT / 4 : TICKS_PER_TIMEOUT / 2);
    }

    private void failOverdue() {
        for (PendingCall<?> call : pending) {
            long age = call.elapsedTicks + tick - call.beganTick;
            if (age <= TICKS_PER_TIMEOUT) {
                continue;
            }
            if (call.retries > 0) {
                call.fail(new StoreAwayException(label + " has not carried out a command for " + timeoutMillis
                        + " ms (quarkus.redis-bulkhead.command-timeout). Last error: " + lastError,
                        call.mayHaveBeenCarriedOut(),
                        null));
            } else if (age > (long) MAX_TIMEOUTS * TICKS_PER_TIMEOUT) {
                call.fail(new StoreException(label + " is overloaded: no reply for " + MAX_TIMEOUTS * timeoutMillis
                        + " ms, although it answers other calls", call.mayHaveBeenCarriedOut(), null));
            }
        }
    }

    private void removeCompleted() {
        while (!pending.isEmpty() && pending.peek().answer.isDone()) {
            pending.poll();
        }
    }

    /**
     * Ends this, because another node has taken over all that it had.
     *
     * @return the calls that are still to be answered
     */
    List<PendingCall<?>> retire() {
        closed = true;
        List<PendingCall<?>> left = pending.stream().filter(call -> !call.answer.isDone()).toList();
        left.forEach(call -> call.elapsedTicks += tick - call.beganTick);
        closeAll();
        return left;
    }

    /** Gives up all calls and closes the connections. */
    void close() {
        closed = true;
        pending.forEach(call -> call.fail(RedisConnectionManager.stopping(call.mayHaveBeenCarriedOut())));
        closeAll();
    }

    private void closeAll() {
        pending.clear();
        outbox = new Outbox();
        List.copyOf(connections).forEach(this::end);
        if (attempt != null) {
            attempt.over = true;
            if (attempt.abandon != null) {
                attempt.abandon.run();
            }
            attempt = null;
        }
    }

    @Override
    public String toString() {
        return label;
    }
}
