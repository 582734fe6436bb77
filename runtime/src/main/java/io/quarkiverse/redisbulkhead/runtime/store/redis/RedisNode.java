package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/**
 * One Redis server, or whichever server the sentinels call master: keeps it connected, and carries out calls. A call waits
 * until there is a connection; once it is sent, it fails together with its connection. {@link Outage} decides whether the
 * server is away: then there is no connection, and all calls fail immediately, until a new connection executes a write, or
 * refuses it for a reason that does not pass by itself. A server whose memory is full is not away, because permits can be
 * returned to it, and its refusals give callers the cause.
 * <p>
 * Runs on the context of the {@link Topology}.
 */
final class RedisNode {

    private static final Logger LOG = Logger.getLogger(RedisNode.class);

    /** Between refusals of a command that are logged. */
    private static final long REFUSAL_LOG_GAP_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long SHORTEST_ATTEMPT_MILLIS = 1_000;
    /** No attempt to connect takes longer, however often earlier ones were too short. */
    private static final long LONGEST_ATTEMPT_MILLIS = 5_000;
    private static final String NO_REPLY = "no reply to commands in flight";

    private final Topology topology;
    private final Supplier<Redis> clients;
    private final int maxConnections;
    private final int maxCalls;
    private final Outage outage;

    private final Deque<ServerCall<?>> unsent = new ArrayDeque<>();
    private final List<ServerConnection> connections = new ArrayList<>();
    private final Backoff reconnects = new Backoff(Duration.ofMillis(10), Duration.ofMillis(200));
    private final Backoff probes = new Backoff(Duration.ofMillis(100), Duration.ofMillis(500));
    /** A wrong password is retried less often. */
    private final Backoff refusedProbes = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));
    private boolean pausing;
    private boolean opening;
    private int openingTicks;
    private int attemptTimeouts;
    private boolean wasConnected;
    private String runId = "";
    private boolean knewAnotherRun;
    private long newRunNanos;
    private boolean ticking;
    private byte[] keysOfProbe;
    private long nextRefusalLogNanos = System.nanoTime();
    private boolean closed;

    /**
     * @param topology receives what happens to the server
     * @param label what the server is called in messages; without secrets
     * @param clients makes a client of the server; called on the context, so that connections belong to its event loop
     * @param maxConnections how many connections there may be
     * @param maxCalls how many calls each may carry at a time
     */
    RedisNode(Topology topology, String label, Supplier<Redis> clients, int maxConnections, int maxCalls) {
        this.topology = topology;
        this.clients = clients;
        this.maxConnections = maxConnections;
        this.maxCalls = maxCalls;
        this.outage = new Outage(label, topology.properties(), topology.timeoutMillis());
        // Until a call has named others.
        this.keysOfProbe = (topology.keyPrefix() + ":{}:").getBytes(StandardCharsets.UTF_8);
    }

    // ---- Calls

    /** Sends a call, as soon as there is room. */
    void submit(ServerCall<?> call) {
        if (outage.isOn()) {
            call.result.completeExceptionally(outage.failure(false));
        } else {
            outage.callBegan();
            unsent.add(call);
            startTicking();
            flush();
        }
    }

    /** Sends what was submitted, as far as there is room, and connects where a connection is missing. */
    private void flush() {
        for (ServerConnection connection : List.copyOf(connections)) {
            while (!unsent.isEmpty() && connection.calls < maxCalls && connection.isOpen()) {
                begin(connection, unsent.poll());
            }
        }
        if (!unsent.isEmpty()) {
            connect();
        }
    }

    private <T> void begin(ServerConnection connection, ServerCall<T> call) {
        if (call.routingKey != null) {
            keysOfProbe = call.routingKey;
        }
        connection.calls++;
        call.over(connection).onComplete(result -> {
            connection.calls--;
            outage.callEnded();
            // Sent before the caller continues, so that Redis works meanwhile.
            flush();
            ended(call, result);
        });
    }

    private <T> void ended(ServerCall<T> call, AsyncResult<T> result) {
        Optional<ErrorReply> error = ErrorReply.of(result.cause());
        if (result.succeeded()) {
            call.result.complete(result.result());
        } else if (error.isPresent()) {
            refused(call, error.get());
        } else if (result.cause() instanceof StoreException known) {
            call.result.completeExceptionally(
                    known.kind() == Kind.TRANSIENT && outage.isOn() ? outage.failure(known.outcomeUnknown()) : known);
        } else {
            call.result.completeExceptionally(new StoreException("Unexpected reply from Redis for " + call.about + " ("
                    + result.cause() + "). If another application uses this key, set quarkus.redis-bulkhead.key-prefix to a "
                    + "prefix that no other application uses", true, result.cause()));
        }
    }

    private void refused(ServerCall<?> call, ErrorReply error) {
        Optional<ErrorReply.Redirection> redirection = error.redirection();
        if (redirection.isPresent() && topology.redirect(this, call, redirection.get())) {
            return;
        }
        String explanation = error.explanation(topology.properties());
        boolean unknown = error.mayHaveChangedSomething();
        if (error.meansUnavailable()) {
            call.result.completeExceptionally(
                    outage.isOn() ? outage.failure(unknown) : new StoreException(Kind.TRANSIENT, explanation, unknown));
            return;
        }
        // One line for many calls, because operators need the reason only once.
        if (System.nanoTime() - nextRefusalLogNanos >= 0) {
            nextRefusalLogNanos = System.nanoTime() + REFUSAL_LOG_GAP_NANOS;
            LOG.errorf("Redis refused a command (%s). %s. %s", call.about, explanation, LogMessage.REFUSED);
        }
        call.result.completeExceptionally(new StoreException(Kind.REFUSED, explanation, unknown));
    }

    /** As {@link Connection#serverSinceMillis}. */
    long serverSinceMillis() {
        long sinceRun = knewAnotherRun ? TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - newRunNanos) : Long.MAX_VALUE;
        long since = Math.min(sinceRun, topology.slotsMovedMillis());
        return since == Long.MAX_VALUE ? -1 : since;
    }

    // ---- What connections report

    void replied(ServerConnection connection, Optional<ErrorReply> error) {
        // TRYAGAIN is about the keys of one bulkhead, which are being moved.
        if (error.filter(reply -> reply.meansUnavailable() && !reply.is("TRYAGAIN")).isEmpty()) {
            outage.answered();
            resetPauses();
        } else {
            outage.refused(error.get());
            if (error.get().callsForAnotherConnection()) {
                leave(connection, error.get().explanation(topology.properties()));
            }
        }
    }

    void lost(ServerConnection connection, String reason) {
        outage.failed(reason);
        leave(connection, reason);
    }

    private void leave(ServerConnection connection, String reason) {
        // One that is being opened ends with the attempt.
        if (connections.remove(connection)) {
            connection.close(Kind.TRANSIENT, reason);
            topology.connectionFailed(this);
            retry();
        }
    }

    private void closeConnections(Kind kind, String reason) {
        List<ServerConnection> all = List.copyOf(connections);
        connections.clear();
        all.forEach(connection -> connection.close(kind, reason));
    }

    // ---- Connecting

    /** Leaves the present connection for one that a new client opens, which may be to another node. */
    void moveOn() {
        closeConnections(Kind.TRANSIENT, "switching to another node");
        retry();
    }

    private void retry() {
        if (!pausing && !closed) {
            pausing = true;
            Backoff pauses = !outage.isOn() ? reconnects : outage.isTemporary() ? probes : refusedProbes;
            topology.vertx().setTimer(Math.max(1, pauses.next().toMillis()), timer -> {
                pausing = false;
                connect();
            });
        }
    }

    private void resetPauses() {
        reconnects.reset();
        probes.reset();
        refusedProbes.reset();
    }

    /** Connects, if nothing is connected or more is needed, and no attempt is under way or planned. */
    void connect() {
        if (!closed && !opening && !pausing
                && (connections.isEmpty() || connections.size() < maxConnections && !unsent.isEmpty())) {
            open();
        }
    }

    private void open() {
        opening = true;
        openingTicks = 0;
        startTicking();
        Future<ServerConnection> opened;
        try {
            opened = topology.open(clients, attemptMillis(), this::handshake);
        } catch (RuntimeException e) {
            // Wrong options, or Vert.x is closed.
            opening = false;
            beginOutage("cannot be used: " + ErrorReply.reason(e));
            retry();
            return;
        }
        opened.onComplete(result -> {
            opening = false;
            if (result.succeeded()) {
                connected(result.result());
            } else if (!closed) {
                connectingFailed(result.cause());
            }
        });
    }

    // Each attempt may take twice as long as the last, for machines that are slower than the command timeout.
    private long attemptMillis() {
        long first = Math.max(topology.timeoutMillis(), SHORTEST_ATTEMPT_MILLIS);
        return Math.min(Math.max(first, LONGEST_ATTEMPT_MILLIS), first << Math.min(attemptTimeouts, 12));
    }

    private Future<ServerConnection> handshake(Redis client, RedisConnection opened) {
        // The handshake and the first command have their time each.
        openingTicks = 0;
        outage.connecting();
        return ServerConnection.handshake(this, client, opened, topology.context())
                .compose(connection -> outage.isOn() ? probe(opened, connection) : Future.succeededFuture(connection));
    }

    // Reads prove nothing, because a replica answers them. Next to the keys of the last call, so in a slot of this node.
    private Future<ServerConnection> probe(RedisConnection opened, ServerConnection connection) {
        Buffer key = Buffer.buffer(keysOfProbe).appendString("probe");
        Request write = Request.cmd(Command.SET).arg(key).arg("1").arg("PX").arg(1_000);
        return opened.send(write).transform(written -> {
            connection.refusal = ErrorReply.of(written.cause());
            return written.succeeded() || connection.refusal.filter(error -> !error.meansUnavailable()).isPresent()
                    ? Future.succeededFuture(connection)
                    : Future.failedFuture(written.cause());
        });
    }

    private void connected(ServerConnection connection) {
        if (closed) {
            connection.close(Kind.REFUSED, Topology.STOPPING);
            return;
        }
        boolean wasAway = outage.isOn();
        attemptTimeouts = 0;
        boolean isSameRun = !connection.runId.isEmpty() && connection.runId.equals(runId);
        // Beside others, so that nothing can have happened to the data. An unknown run may be a new one.
        boolean isOneMore = (connection.runId.isEmpty() || isSameRun) && !connections.stream().allMatch(this::isSilent);
        if (wasConnected && !isOneMore && !isSameRun) {
            knewAnotherRun = true;
            newRunNanos = System.nanoTime();
        }
        runId = connection.runId;
        connections.add(connection);
        outage.connecting();
        if (wasAway) {
            outage.end(connection.refusal);
            resetPauses();
        }
        List.copyOf(connections).stream().filter(this::isSilent).forEach(silent -> lost(silent, NO_REPLY));
        if (!isOneMore && wasConnected) {
            topology.reconnected(this);
        }
        wasConnected = true;
        if (wasAway) {
            topology.availabilityChanged();
        }
        flush();
    }

    private void connectingFailed(Throwable cause) {
        boolean timedOut = cause instanceof StoreException;
        attemptTimeouts += timedOut ? 1 : 0;
        Optional<ErrorReply> refusal = ErrorReply.of(cause).filter(ErrorReply::refusesConnection);
        String reason = timedOut ? cause.getMessage()
                : refusal.map(error -> error.explanation(topology.properties()))
                        .orElseGet(
                                () -> "cannot connect: " + ErrorReply.reason(cause) + " (" + topology.properties() + ".hosts)");
        outage.failed(reason);
        if (refusal.isPresent() && connections.isEmpty() && outage.isTemporary()) {
            beginOutage("refuses the connection. " + reason);
        }
        topology.connectionFailed(this);
        // Also without calls: positions are to be stated soon after a restart.
        if (outage.isOn() || wasConnected || !unsent.isEmpty()) {
            retry();
        }
    }

    // ---- Outages

    private void beginOutage(String message) {
        if (outage.begin(message)) {
            outageBegan();
        }
    }

    private void outageBegan() {
        resetPauses();
        closeConnections(Kind.TRANSIENT, "Redis is away");
        failUnsent(outage.failure(false));
        topology.availabilityChanged();
    }

    private void failUnsent(StoreException failure) {
        takeUnsent().forEach(call -> call.result.completeExceptionally(failure));
    }

    private void startTicking() {
        if (!ticking && !closed) {
            ticking = true;
            topology.vertx().setTimer(outage.tickMillis(), timer -> tick());
        }
    }

    private void tick() {
        ticking = false;
        if (closed) {
            return;
        }
        openingTicks++;
        replaceSilentConnections();
        if (outage.tick(!isFirstHandshake())) {
            outageBegan();
            connect();
        }
        if (opening || outage.hasDemand()) {
            startTicking();
        }
    }

    // The first handshake gets its time, however short the command timeout is.
    private boolean isFirstHandshake() {
        return !wasConnected && opening && outage.lastError() == null
                && openingTicks * outage.tickMillis() < SHORTEST_ATTEMPT_MILLIS;
    }

    // A connection can be dead though the server is not. Another one is opened in good time, and takes over.
    private void replaceSilentConnections() {
        for (ServerConnection connection : List.copyOf(connections)) {
            connection.silentTicks += connection.isAwaitingReplies() ? 1 : 0;
            if (isSilent(connection) && connections.size() > 1) {
                lost(connection, NO_REPLY);
            } else if (isSilent(connection) && !opening && !pausing) {
                open();
            }
        }
    }

    // A call that takes several round trips has more time.
    private boolean isSilent(ServerConnection connection) {
        return connection.silentTicks > (maxCalls == 1 ? 3 * Outage.TICKS_PER_TIMEOUT / 4 : Outage.TICKS_PER_TIMEOUT / 2);
    }

    // ---- The end

    /**
     * Whether a node that has no slots any more is of no use: no call is in flight, and those that were not sent wait for a
     * node that has failed. One that is connected for the first time may have got its slots after they were asked for.
     */
    boolean mayRetire() {
        return connections.stream().allMatch(connection -> connection.calls == 0)
                && (unsent.isEmpty() || wasConnected || !opening);
    }

    /** Gives away the calls that were not sent, because another node has taken over what this one had. */
    List<ServerCall<?>> takeUnsent() {
        List<ServerCall<?>> calls = List.copyOf(unsent);
        unsent.clear();
        calls.forEach(call -> outage.callEnded());
        return calls;
    }

    /** Fails all calls, and closes the connections. */
    void close(Kind kind, String reason) {
        closed = true;
        failUnsent(new StoreException(kind, reason, false));
        closeConnections(kind, reason);
    }

    @Override
    public String toString() {
        return outage.toString();
    }
}
