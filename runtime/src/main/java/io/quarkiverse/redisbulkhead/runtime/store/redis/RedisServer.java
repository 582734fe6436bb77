package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.netty.handler.codec.CodecException;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.AsyncResult;
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
 * the command timeout. Then all calls fail at once until Redis executes a write, or refuses it for a reason that does not pass
 * by itself: a server whose memory is full is not away, because it renews and releases permits, and its refusals give callers
 * the cause.
 * <p>
 * Silence is counted in timer ticks. The event loop reads between two ticks, so a pause of this process counts as one tick.
 * <p>
 * Runs on the context of {@link RedisConnectionManager}.
 */
final class RedisServer {

    private static final Logger LOG = Logger.getLogger(RedisServer.class);

    static final int TICKS_PER_TIMEOUT = 20;
    /** Calls fail after this many command timeouts, even if others are answered. */
    static final int MAX_TIMEOUTS = 10;
    static final long LONGEST_CALL_TICKS = (long) MAX_TIMEOUTS * TICKS_PER_TIMEOUT;
    /** Between refusals of a command that are logged. */
    private static final long REFUSAL_LOG_GAP_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** No attempt to connect takes longer, however often earlier ones were too short. */
    private static final long LONGEST_ATTEMPT_MILLIS = 5_000;
    private static final long SHORTEST_ATTEMPT_MILLIS = 1_000;
    private static final int MAX_REDIRECTS = 16;
    private static final int MAX_REDIRECTS_AT_ONCE = 3;
    private static final Duration REDIRECT_PAUSE = Duration.ofMillis(150);

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
        private final Deque<RedisCall<?>> inFlight = new ArrayDeque<>();
        private int silentTicks;
        private boolean closed;

        private OpenConnection(Redis client, RedisConnection redis) {
            this.client = client;
            this.redis = redis;
        }
    }

    /** One try to open a connection, or to write over one while the server is away. */
    private static final class Attempt {
        private final Runnable abandon;
        private int ticks;

        private Attempt(Runnable abandon) {
            this.abandon = abandon;
        }
    }

    private final RedisConnectionManager manager;
    private final Vertx vertx;
    private final String label;
    private final Supplier<Redis> clients;
    private final long timeoutMillis;
    private final long tickMillis;
    private final int maxConnections;
    private final int maxInFlight;
    private final Backoff reconnects = new Backoff(Duration.ofMillis(10), Duration.ofMillis(200));
    private final Backoff probes = new Backoff(Duration.ofMillis(100), Duration.ofMillis(500));
    /** Authentication is retried less often. */
    private final Backoff refusedProbes = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

    /** All calls that may not have ended, the oldest first. */
    private final Queue<RedisCall<?>> pending = new ArrayDeque<>();
    /** Those that are to be sent, in order. */
    private final Deque<RedisCall<?>> unsent = new ArrayDeque<>();
    private final List<OpenConnection> connections = new ArrayList<>();
    /** The attempt under way; others are over. */
    private Attempt attempt;
    private int attemptTimeouts;
    private boolean retryPlanned;
    private boolean wasConnected;
    private String lastError;
    private boolean isReplica;
    private long tick;
    private int silentTicks;
    private boolean ticking;
    private Outage outage;
    private byte[] keysOfProbe;
    private long nextRefusalLogNanos = System.nanoTime();
    private boolean closed;

    /**
     * @param manager receives what happens to the server
     * @param label what the server is called in messages; without secrets
     * @param clients makes a client of the server; called on the context, so that connections belong to its event loop
     * @param maxConnections how many connections there may be
     * @param maxInFlight how many commands may be unanswered over each
     */
    RedisServer(RedisConnectionManager manager, String label, Supplier<Redis> clients, int maxConnections, int maxInFlight) {
        this.manager = manager;
        this.vertx = manager.vertx();
        this.label = label;
        this.clients = clients;
        // Until a call has named others.
        this.keysOfProbe = (manager.keyPrefix() + ":{}:").getBytes(StandardCharsets.UTF_8);
        this.timeoutMillis = manager.timeoutMillis();
        this.tickMillis = Math.max(1, timeoutMillis / TICKS_PER_TIMEOUT);
        this.maxConnections = maxConnections;
        this.maxInFlight = maxInFlight;
    }

    /** Takes a call that {@link #flush} sends. */
    void submit(RedisCall<?> call) {
        if (closed) {
            call.fail(RedisConnectionManager.stopping(false));
        } else if (outage != null) {
            call.fail(failure(outage, call));
        } else {
            removeCompleted();
            if (pending.isEmpty()) {
                silentTicks = 0;
            }
            call.beganTick = tick;
            pending.add(call);
            unsent.add(call);
            startTicking();
        }
    }

    /** Sends what was submitted, as far as there is room, and connects where a connection is missing. */
    void flush() {
        for (OpenConnection connection : List.copyOf(connections)) {
            send(connection);
        }
        if (!unsent.isEmpty()) {
            connect();
        }
    }

    /**
     * Whether a node that has no slots any more is of no use: without a connection, or without calls, as slots may just move
     * to it.
     */
    boolean mayRetire() {
        removeCompleted();
        return connections.isEmpty() || pending.isEmpty();
    }

    /** Leaves the present connection for one that a new client opens, which may be to another node. */
    void moveOn() {
        if (outage == null) {
            List.copyOf(connections).forEach(
                    connection -> connectionLost(connection, new StoreException("switching to another node", false, null)));
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
            RedisCall<?> next = unsent.poll();
            if (next == null) {
                return;
            }
            if (!next.isDone()) {
                send(connection, next);
            }
        }
    }

    private <T> void send(OpenConnection connection, RedisCall<T> call) {
        byte[] key = call.routingKey();
        if (key != null) {
            keysOfProbe = key;
        }
        connection.inFlight.add(call);
        call.sent();
        boolean asking = call.asking;
        call.over(command -> {
            if (asking) {
                connection.redis.send(Request.cmd(Command.ASKING));
            }
            return connection.redis.send(command).onComplete(reply -> progress(connection, reply));
        }).onComplete(result -> {
            if (connection.closed) {
                resendIfInFlight(connection, call);
            } else if (result.succeeded()) {
                connection.inFlight.remove(call);
                connection.silentTicks = 0;
                replied();
                // Send before completing callers, so that Redis works meanwhile.
                send(connection);
                call.complete(result.result());
            } else if (isOfClient(result.cause())) {
                connectionLostDuring(call, connection, result.cause());
            } else {
                failed(connection, call, result.cause());
            }
        });
    }

    // A call may take several round trips, for example to load a script.
    private void progress(OpenConnection connection, AsyncResult<Response> reply) {
        boolean isAlive = reply.succeeded()
                || ErrorReply.of(reply.cause()).filter(error -> !error.meansUnavailable()).isPresent();
        if (isAlive && !connection.closed) {
            connection.silentTicks = 0;
            silentTicks = 0;
        }
    }

    private void failed(OpenConnection connection, RedisCall<?> call, Throwable failure) {
        connection.silentTicks = 0;
        if (failure instanceof RedisCall.OutOfOrderException) {
            // No sign of life: the error may have been a transient one.
            connection.inFlight.remove(call);
            send(connection);
            call.fail(failure);
            return;
        }
        Optional<ErrorReply> error = ErrorReply.of(failure);
        if (error.filter(ErrorReply::meansUnavailable).isPresent()) {
            retryLater(connection, call, error.get());
        } else {
            connection.inFlight.remove(call);
            replied();
            error.ifPresentOrElse(reply -> reply.redirection().ifPresentOrElse(to -> redirect(call, reply, to),
                    () -> refuse(call, reply)), () -> call.notUnderstood(failure));
        }
        send(connection);
    }

    // Connection errors of the client are no RuntimeExceptions, except for these; TLS errors are the latter.
    private static boolean isOfClient(Throwable failure) {
        return ErrorReply.of(failure).isEmpty() && (!(failure instanceof RuntimeException)
                || failure instanceof VertxException || failure instanceof CodecException);
    }

    /** Ends a call that Redis refuses for good. */
    private void refuse(RedisCall<?> call, ErrorReply reply) {
        String explanation = reply.explanation(manager.properties());
        // One line for many calls, because operators need the reason only once.
        if (call.logsRefusal() && System.nanoTime() - nextRefusalLogNanos >= 0) {
            nextRefusalLogNanos = System.nanoTime() + REFUSAL_LOG_GAP_NANOS;
            LOG.errorf("Redis refused a command (%s). %s", call.about(), explanation);
        }
        call.refuse(reply, explanation);
    }

    private void redirect(RedisCall<?> call, ErrorReply reply, ErrorReply.Redirection to) {
        if (!manager.isCluster() || ++call.redirects > MAX_REDIRECTS) {
            refuse(call, reply);
            return;
        }
        call.refusedBefore(reply);
        if (!call.isDone()) {
            pending.remove(call);
            call.elapsedTicks = age(call);
            if (call.redirects <= MAX_REDIRECTS_AT_ONCE) {
                manager.redirected(this, call, to);
            } else {
                // Two nodes name each other for a moment while a slot moves.
                later(REDIRECT_PAUSE, () -> manager.redirected(this, call, to));
            }
        }
    }

    // After a pause, and over a new connection where another server may have been promoted.
    private void retryLater(OpenConnection connection, RedisCall<?> call, ErrorReply reply) {
        lastError = reply.explanation(manager.properties());
        isReplica = reply.is(ErrorReply.READONLY);
        call.refusedBefore(reply);
        Duration pause = call.pauseAfter(lastError);
        if (reply.passesOnThisConnection()) {
            connection.inFlight.remove(call);
            later(pause, () -> resend(call));
        } else {
            connectionLostDuring(call, connection, new StoreException(lastError, false, null));
        }
    }

    private void resend(RedisCall<?> call) {
        if (outage == null && !closed && !call.isDone()) {
            unsent.addFirst(call);
            flush();
        }
    }

    private void later(Duration pause, Runnable task) {
        vertx.setTimer(Math.max(1, pause.toMillis()), timer -> task.run());
    }

    // Any reply but a transient error shows that the server is available.
    private void replied() {
        silentTicks = 0;
        isReplica = false;
        lastError = null;
        resetBackoff();
    }

    private void resetBackoff() {
        reconnects.reset();
        probes.reset();
        refusedProbes.reset();
    }

    private void connectionLostDuring(RedisCall<?> call, OpenConnection connection, Throwable cause) {
        connectionLost(connection, cause);
        resendIfInFlight(connection, call);
    }

    private void resendIfInFlight(OpenConnection connection, RedisCall<?> call) {
        if (connection.inFlight.remove(call)) {
            resend(call);
        }
    }

    private void connectionLost(OpenConnection connection, Throwable cause) {
        if (connection.closed) {
            return;
        }
        end(connection);
        lastError = cause instanceof StoreException ? cause.getMessage() : "the connection was lost: " + Redacted.reason(cause);
        LOG.debugf("%s: %s", label, lastError);
        // In their old order: releases that were not answered go before later acquires. A call that has the connection for
        // itself may take several round trips that depend on each other, so it is sent again when that attempt has ended.
        while (maxInFlight > 1 && !connection.inFlight.isEmpty()) {
            unsent.addFirst(connection.inFlight.pollLast());
        }
        manager.connectionFailed(this);
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
            Backoff backoff = outage == null ? reconnects : outage.temporary ? probes : refusedProbes;
            later(backoff.next(), () -> {
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
        } else if (connections.isEmpty() || connections.size() < maxConnections && !unsent.isEmpty()) {
            open();
        }
    }

    private void open() {
        Redis client;
        Future<RedisConnection> opening;
        try {
            client = clients.get();
            opening = client.connect();
        } catch (RuntimeException e) {
            // Wrong options, or Vert.x is closed.
            beginOutage(new Outage(label + " cannot be used: " + Redacted.reason(e), Redacted.failure(e), false));
            retry();
            return;
        }
        Attempt current = new Attempt(client::close);
        attempt = current;
        startTicking();
        opening.compose(connection -> {
            // The handshake and the first command have their time each.
            current.ticks = 0;
            silentTicks = lastError == null ? 0 : silentTicks;
            return verifyAuthentication(connection);
        }).onComplete(result -> {
            if (attempt != current) {
                client.close();
                return;
            }
            attempt = null;
            if (result.succeeded()) {
                connected(new OpenConnection(client, result.result()));
            } else {
                // In a cluster, the next client may be that of another node.
                client.close();
                connectingFailed(result.cause());
            }
        });
    }

    // Without a configured password, the client does not notice that the server requires one.
    private static Future<RedisConnection> verifyAuthentication(RedisConnection connection) {
        return connection.send(Request.cmd(Command.PING)).transform(result -> {
            boolean refused = result.failed()
                    && ErrorReply.of(result.cause()).map(ErrorReply::isAuthenticationMissing).orElse(true);
            return refused ? Future.failedFuture(result.cause()) : Future.succeededFuture(connection);
        });
    }

    private void connected(OpenConnection connection) {
        attemptTimeouts = 0;
        connections.add(connection);
        connection.redis.endHandler(end -> ended(connection, new VertxException("closed by the server", true)));
        connection.redis.exceptionHandler(cause -> ended(connection, cause));
        if (lastError == null) {
            // The first thing that comes from a server is its handshake.
            silentTicks = 0;
        }
        if (outage != null) {
            probe(connection);
            return;
        }
        for (OpenConnection other : List.copyOf(connections)) {
            if (isSilent(other)) {
                connectionLost(other, new StoreException("no reply to commands in flight", true, null));
            }
        }
        announceReconnection();
        flush();
    }

    private void ended(OpenConnection connection, Throwable cause) {
        manager.context().runOnContext(now -> connectionLost(connection, cause));
    }

    private void announceReconnection() {
        if (wasConnected) {
            manager.reconnected(this);
        }
        wasConnected = true;
    }

    private void connectingFailed(Throwable cause) {
        Optional<ErrorReply> refusal = ErrorReply.of(cause).filter(ErrorReply::refusesConnection);
        lastError = refusal.map(reply -> reply.explanation(manager.properties()))
                .orElseGet(() -> "cannot connect: " + Redacted.reason(cause) + " (" + manager.properties() + ".hosts)");
        LOG.debugf("%s: %s", label, lastError);
        if (refusal.isPresent() && connections.isEmpty() && (outage == null || outage.temporary)) {
            beginOutage(new Outage(label + " refuses the connection. " + lastError, Redacted.failure(cause), false));
        }
        manager.connectionFailed(this);
        if (outage != null || !unsent.isEmpty()) {
            retry();
        }
    }

    // While the server is away: reads prove nothing, because a replica answers them.
    private void probe(OpenConnection connection) {
        Attempt current = new Attempt(() -> end(connection));
        attempt = current;
        startTicking();
        connection.redis.send(Request.cmd(Command.SET).arg(probeKey()).arg("1").arg("PX").arg(1_000)).onComplete(result -> {
            if (attempt != current) {
                return;
            }
            attempt = null;
            Optional<ErrorReply> error = result.failed() ? ErrorReply.of(result.cause()) : Optional.empty();
            if (result.succeeded() || error.filter(reply -> !reply.meansUnavailable()).isPresent()) {
                endOutage(error);
            } else {
                lastError = error.map(reply -> reply.explanation(manager.properties()))
                        .orElseGet(() -> Redacted.reason(result.cause()));
                if (error.isEmpty() || !error.get().passesOnThisConnection()) {
                    end(connection);
                    manager.connectionFailed(this);
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

    private void endOutage(Optional<ErrorReply> refusal) {
        outage = null;
        replied();
        refusal.ifPresentOrElse(reply -> LOG.warnf("%s is available again, but it refuses writes. %s", label,
                reply.explanation(manager.properties())), () -> LOG.infof("%s is available again", label));
        announceReconnection();
        manager.availabilityChanged();
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
        List<RedisCall<?>> calls = List.copyOf(pending);
        pending.clear();
        unsent.clear();
        calls.forEach(call -> call.fail(failure(begun, call)));
        if (isNew) {
            resetBackoff();
            manager.availabilityChanged();
        }
    }

    private static StoreException failure(Outage outage, RedisCall<?> call) {
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
            pending.removeIf(RedisCall::isDone);
        }
        if (attempt != null && ++attempt.ticks > attemptTicks()) {
            attemptTimedOut();
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

    private void attemptTimedOut() {
        attemptTimeouts++;
        lastError = "connecting or probing timed out; Redis is silent, or has reached maxclients";
        abandonAttempt();
        manager.connectionFailed(this);
        retry();
    }

    private void abandonAttempt() {
        Runnable abandon = attempt.abandon;
        attempt = null;
        abandon.run();
    }

    // A connection can be dead though the server is not. Another one is opened in good time, and takes over what is in flight.
    private void replaceSilentConnections() {
        for (OpenConnection connection : List.copyOf(connections)) {
            connection.silentTicks += connection.inFlight.isEmpty() ? 0 : 1;
            if (isSilent(connection) && connections.size() > 1) {
                connectionLost(connection, new StoreException("no reply to commands in flight", true, null));
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
        // Apart, because other calls may follow a call that ends.
        List<RedisCall<?>> overdue = new ArrayList<>();
        for (RedisCall<?> call : pending) {
            if (age(call) > TICKS_PER_TIMEOUT) {
                overdue.add(call);
            }
        }
        for (RedisCall<?> call : overdue) {
            if (call.lastRefusal() != null) {
                call.fail(new StoreAwayException(label + " has not carried out a command for " + timeoutMillis
                        + " ms (quarkus.redis-bulkhead.command-timeout). Last error: " + call.lastRefusal(),
                        call.mayHaveBeenCarriedOut(), null));
            } else if (age(call) > LONGEST_CALL_TICKS) {
                call.fail(manager.overloaded(label, call.mayHaveBeenCarriedOut()));
            }
        }
    }

    // In ticks, with those of other servers that had the call before.
    private long age(RedisCall<?> call) {
        return call.elapsedTicks + tick - call.beganTick;
    }

    private void removeCompleted() {
        while (!pending.isEmpty() && pending.peek().isDone()) {
            pending.poll();
        }
    }

    /**
     * Ends this, because another node has taken over all that it had.
     *
     * @return the calls that are still to be answered
     */
    List<RedisCall<?>> retire() {
        closed = true;
        List<RedisCall<?>> left = pending.stream().filter(call -> !call.isDone()).toList();
        left.forEach(call -> call.elapsedTicks = age(call));
        closeAll();
        return left;
    }

    /** Gives up all calls and closes the connections. */
    void close() {
        closed = true;
        List.copyOf(pending).forEach(call -> call.fail(RedisConnectionManager.stopping(call.mayHaveBeenCarriedOut())));
        closeAll();
    }

    private void closeAll() {
        pending.clear();
        unsent.clear();
        List.copyOf(connections).forEach(this::end);
        if (attempt != null) {
            abandonAttempt();
        }
    }

    @Override
    public String toString() {
        return label;
    }
}
