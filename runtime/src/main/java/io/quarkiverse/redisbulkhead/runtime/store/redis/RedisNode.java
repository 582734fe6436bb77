package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.TransientStoreException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One Redis server, or whichever server the sentinels call master: keeps it connected, and carries out calls. A call waits
 * until there is a connection; once it is sent, it fails together with its connection. Whether the server is away is decided by
 * {@link Outage}: then all calls fail at once until Redis executes a write, or refuses it for a reason that does not pass by
 * itself. A server whose memory is full is not away, because permits can be returned to it, and its refusals give callers the
 * cause.
 * <p>
 * Runs on the context of the {@link Topology}.
 */
final class RedisNode implements ServerConnection.Listener {

    private static final Logger LOG = Logger.getLogger(RedisNode.class);

    /** Between refusals of a command that are logged. */
    private static final long REFUSAL_LOG_GAP_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long SHORTEST_ATTEMPT_MILLIS = 1_000;
    /** No attempt to connect takes longer, however often earlier ones were too short. */
    private static final long LONGEST_ATTEMPT_MILLIS = 5_000;

    /** One try to open a connection, or to write over one while the server is away. */
    private static final class Attempt {
        private final Runnable abandon;
        private int ticks;

        private Attempt(Runnable abandon) {
            this.abandon = abandon;
        }
    }

    private final Topology topology;
    private final Vertx vertx;
    private final Supplier<Redis> clients;
    private final int maxConnections;
    private final int maxCalls;
    private final Outage outage;
    private final Backoff reconnects = new Backoff(Duration.ofMillis(10), Duration.ofMillis(200));
    private final Backoff probes = new Backoff(Duration.ofMillis(100), Duration.ofMillis(500));
    /** Authentication is retried less often. */
    private final Backoff refusedProbes = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

    private final Deque<ServerCall<?>> unsent = new ArrayDeque<>();
    private final List<ServerConnection> connections = new ArrayList<>();
    /** Those that take no more calls. */
    private final List<ServerConnection> retired = new ArrayList<>();
    /** The attempt under way; others are over. */
    private Attempt attempt;
    private int attemptTimeouts;
    private boolean retryPlanned;
    private boolean wasConnected;
    private String runId = "";
    private long newRunNanos;
    private boolean knewAnotherRun;
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
        this.vertx = topology.vertx();
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
        if (closed) {
            call.result().completeExceptionally(Topology.stopping(false));
        } else if (outage.isOn()) {
            call.result().completeExceptionally(outage.failure(false));
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
            while (!outage.isOn() && !unsent.isEmpty() && connection.calls < maxCalls && connection.isOpen()
                    && !connection.retired) {
                begin(connection, unsent.poll());
            }
        }
        if (!unsent.isEmpty()) {
            connect();
        }
    }

    private <T> void begin(ServerConnection connection, ServerCall<T> call) {
        if (call.routingKey() != null) {
            keysOfProbe = call.routingKey();
        }
        connection.calls++;
        call.over(new Use(connection, call.asking)).onComplete(result -> {
            connection.calls--;
            outage.callEnded();
            if (connection.retired && connection.calls == 0) {
                close(connection, "the connection was replaced");
            }
            // Sent before the caller continues, so that Redis works meanwhile.
            flush();
            ended(call, result);
        });
    }

    private <T> void ended(ServerCall<T> call, AsyncResult<T> result) {
        if (result.succeeded()) {
            call.result().complete(result.result());
            return;
        }
        Optional<ErrorReply> error = ErrorReply.of(result.cause());
        if (error.isPresent()) {
            refused(call, error.get());
        } else if (result.cause() instanceof TransientStoreException lost && outage.isOn()) {
            call.result().completeExceptionally(outage.failure(lost.outcomeUnknown()));
        } else {
            call.result().completeExceptionally(ServerCall.unexpectedReply(call.about(), true, result.cause()));
        }
    }

    private void refused(ServerCall<?> call, ErrorReply error) {
        Optional<ErrorReply.Redirection> redirection = error.redirection();
        if (redirection.isPresent() && topology.redirect(this, call, redirection.get())) {
            return;
        }
        boolean unknown = LuaScript.mayHaveBegunBefore(error);
        String explanation = error.explanation(topology.properties());
        if (error.meansUnavailable()) {
            call.result().completeExceptionally(
                    outage.isOn() ? outage.failure(unknown) : new TransientStoreException(explanation, unknown, null));
            return;
        }
        // One line for many calls, because operators need the reason only once.
        if (call.logsRefusal() && System.nanoTime() - nextRefusalLogNanos >= 0) {
            nextRefusalLogNanos = System.nanoTime() + REFUSAL_LOG_GAP_NANOS;
            LOG.errorf("Redis refused a command (%s). %s", call.about(), explanation);
        }
        call.result().completeExceptionally(new RefusedException(error, explanation, unknown));
    }

    /** The connection as one call uses it. */
    private final class Use implements ServerCall.Connection {

        private final ServerConnection connection;
        private final boolean asking;

        private Use(ServerConnection connection, boolean asking) {
            this.connection = connection;
            this.asking = asking;
        }

        @Override
        public Future<Response> send(Request command) {
            if (asking && connection.isOpen()) {
                connection.sendFirst(Request.cmd(Command.ASKING));
            }
            return connection.send(command);
        }

        @Override
        public Future<Response> run(LuaScript script, List<byte[]> keys, List<byte[]> args) {
            long begun = connection.sent();
            return send(script.byDigest(keys, args)).recover(failure -> {
                if (ErrorReply.of(failure).filter(error -> error.is("NOSCRIPT")).isEmpty()) {
                    return Future.failedFuture(failure);
                }
                // After a restart many calls learn this at once; the text is sent for the first of them.
                if (connection.taught(script) > begun) {
                    return run(script, keys, args);
                }
                connection.teaching(script);
                return send(script.byText(keys, args));
            });
        }

        @Override
        public String server() {
            return connection.runId();
        }

        @Override
        public Future<String> currentServer() {
            return connection.currentRunId();
        }

        // A node that a slot is moving to may not have the key yet.
        @Override
        public long serverSinceMillis() {
            if (asking) {
                return 0;
            }
            long sinceRun = knewAnotherRun ? TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - newRunNanos) : Long.MAX_VALUE;
            long sinceMove = topology.slotsMovedMillis();
            long since = Math.min(sinceRun, sinceMove < 0 ? Long.MAX_VALUE : sinceMove);
            return since == Long.MAX_VALUE ? -1 : since;
        }
    }

    // ---- What connections report

    @Override
    public void replied(ServerConnection connection, Optional<ErrorReply> error) {
        // TRYAGAIN is about the keys of one bulkhead, which are being moved.
        if (error.filter(reply -> reply.meansUnavailable() && !reply.is("TRYAGAIN")).isEmpty()) {
            if (!outage.isOn()) {
                outage.answered();
                resetBackoff();
            }
            return;
        }
        outage.refused(error.get());
        if (!error.get().passesOnThisConnection() && connections.remove(connection)) {
            // Another server may have been promoted. Commands in flight get their replies.
            if (connection.calls == 0) {
                close(connection, "the connection was replaced");
            } else {
                connection.retired = true;
                retired.add(connection);
            }
            connectionFailed();
        }
    }

    @Override
    public void lost(ServerConnection connection, TransientStoreException loss) {
        outage.failed(loss.getMessage());
        close(connection, loss);
        connectionFailed();
    }

    private void connectionFailed() {
        topology.connectionFailed(this);
        retry();
    }

    private void close(ServerConnection connection, String reason) {
        close(connection, new TransientStoreException(reason, true, null));
    }

    private void close(ServerConnection connection, StoreException reason) {
        connections.remove(connection);
        retired.remove(connection);
        connection.close(reason);
    }

    private void closeConnections(StoreException reason) {
        List.copyOf(connections).forEach(connection -> close(connection, reason));
        List.copyOf(retired).forEach(connection -> close(connection, reason));
    }

    private void resetBackoff() {
        reconnects.reset();
        probes.reset();
        refusedProbes.reset();
    }

    // ---- Connecting

    /** Connects, if nothing is connected. */
    void warmUp() {
        if (connections.isEmpty()) {
            connect();
        }
    }

    /** Leaves the present connection for one that a new client opens, which may be to another node. */
    void moveOn() {
        if (!outage.isOn()) {
            List.copyOf(connections).forEach(connection -> close(connection, "switching to another node"));
            retry();
        }
    }

    private void retry() {
        if (!retryPlanned && !closed) {
            retryPlanned = true;
            Backoff backoff = !outage.isOn() ? reconnects : outage.isTemporary() ? probes : refusedProbes;
            vertx.setTimer(Math.max(1, backoff.next().toMillis()), timer -> {
                retryPlanned = false;
                connect();
            });
        }
    }

    private void connect() {
        if (closed || attempt != null || retryPlanned) {
            return;
        }
        if (outage.isOn() && !connections.isEmpty()) {
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
            beginOutage("cannot be used: " + Redacted.reason(e), e);
            retry();
            return;
        }
        Attempt current = new Attempt(client::close);
        attempt = current;
        startTicking();
        opening.compose(opened -> {
            // The handshake and the first command have their time each.
            current.ticks = 0;
            outage.connecting();
            return ServerConnection.handshake(client, opened, topology.context(), this);
        }).onComplete(result -> {
            if (attempt != current) {
                client.close();
                return;
            }
            attempt = null;
            if (result.succeeded()) {
                connected(result.result());
            } else {
                // In a cluster, the next client may be that of another node.
                client.close();
                connectingFailed(result.cause());
            }
        });
    }

    private void connected(ServerConnection connection) {
        attemptTimeouts = 0;
        boolean isOneMore = isOneMoreToSameRun(connection.runId());
        if (wasConnected && !(isOneMore || isSameRun(connection.runId()))) {
            knewAnotherRun = true;
            newRunNanos = System.nanoTime();
        }
        runId = connection.runId();
        connections.add(connection);
        outage.connecting();
        if (outage.isOn()) {
            probe(connection);
            return;
        }
        for (ServerConnection other : List.copyOf(connections)) {
            if (isSilent(other)) {
                lost(other, new TransientStoreException("no reply to commands in flight", true, null));
            }
        }
        if (!isOneMore) {
            announceReconnection();
        }
        flush();
    }

    /** Whether the connection is one beside others, so that nothing can have happened to the data. */
    private boolean isOneMoreToSameRun(String id) {
        return (id.isEmpty() || isSameRun(id)) && !connections.stream().allMatch(this::isSilent);
    }

    // If the run id is unknown, each new connection may be to a new run.
    private boolean isSameRun(String id) {
        return !id.isEmpty() && id.equals(runId);
    }

    private void announceReconnection() {
        if (wasConnected) {
            topology.reconnected(this);
        }
        wasConnected = true;
    }

    private void connectingFailed(Throwable cause) {
        Optional<ErrorReply> refusal = ErrorReply.of(cause).filter(ErrorReply::refusesConnection);
        String reason = refusal.map(error -> error.explanation(topology.properties()))
                .orElseGet(() -> "cannot connect: " + Redacted.reason(cause) + " (" + topology.properties() + ".hosts)");
        outage.failed(reason);
        if (refusal.isPresent() && connections.isEmpty() && (!outage.isOn() || outage.isTemporary())) {
            beginOutage("refuses the connection. " + reason, cause);
        }
        topology.connectionFailed(this);
        // Also without calls: positions are to be stated soon after a restart.
        if (outage.isOn() || wasConnected || !unsent.isEmpty()) {
            retry();
        }
    }

    // While the server is away: reads prove nothing, because a replica answers them.
    private void probe(ServerConnection connection) {
        Attempt current = new Attempt(() -> close(connection, "no reply to a probe"));
        attempt = current;
        startTicking();
        connection.send(Request.cmd(Command.SET).arg(probeKey()).arg("1").arg("PX").arg(1_000)).onComplete(result -> {
            if (attempt != current) {
                return;
            }
            attempt = null;
            Optional<ErrorReply> error = result.failed() ? ErrorReply.of(result.cause()) : Optional.empty();
            if (result.succeeded() || error.filter(reply -> !reply.meansUnavailable()).isPresent()) {
                endOutage(error);
            } else {
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

    // ---- Outages

    private void endOutage(Optional<ErrorReply> refusal) {
        outage.end(refusal);
        resetBackoff();
        announceReconnection();
        topology.availabilityChanged();
        flush();
    }

    private void beginOutage(String message, Throwable cause) {
        if (outage.begin(message, cause)) {
            outageBegan();
        }
    }

    private void outageBegan() {
        closeConnections(new TransientStoreException("Redis is away", true, null));
        List<ServerCall<?>> calls = List.copyOf(unsent);
        unsent.clear();
        calls.forEach(call -> {
            outage.callEnded();
            call.result().completeExceptionally(outage.failure(false));
        });
        resetBackoff();
        topology.availabilityChanged();
    }

    private void startTicking() {
        if (!ticking && !closed) {
            ticking = true;
            vertx.setTimer(outage.tickMillis(), timer -> tick());
        }
    }

    private void tick() {
        if (closed) {
            return;
        }
        if (attempt != null && ++attempt.ticks > attemptTicks()) {
            attemptTimedOut();
        }
        if (!outage.isOn()) {
            replaceSilentConnections();
        }
        if (outage.tick(!isFirstHandshake())) {
            outageBegan();
            connect();
        }
        ticking = false;
        if (attempt != null || outage.hasDemand() || outage.isOn()) {
            startTicking();
        }
    }

    // The first handshake gets its time, however short the command timeout is.
    private boolean isFirstHandshake() {
        return !wasConnected && attempt != null && outage.lastError() == null
                && attempt.ticks * outage.tickMillis() < SHORTEST_ATTEMPT_MILLIS;
    }

    // Each attempt may take twice as long as the last, for machines that are slower than the command timeout.
    private long attemptTicks() {
        long first = Math.max(topology.timeoutMillis(), SHORTEST_ATTEMPT_MILLIS);
        long longest = Math.max(topology.timeoutMillis(), LONGEST_ATTEMPT_MILLIS);
        return Math.min(longest, first << Math.min(attemptTimeouts, 12)) / outage.tickMillis();
    }

    private void attemptTimedOut() {
        attemptTimeouts++;
        outage.failed("connecting or probing timed out; Redis is silent, or has reached maxclients");
        abandonAttempt();
        connectionFailed();
    }

    private void abandonAttempt() {
        Runnable abandon = attempt.abandon;
        attempt = null;
        abandon.run();
    }

    // A connection can be dead though the server is not. Another one is opened in good time, and takes over.
    private void replaceSilentConnections() {
        List.copyOf(retired).stream().filter(this::hasBecomeSilent).forEach(connection -> close(connection, "no reply"));
        for (ServerConnection connection : List.copyOf(connections)) {
            if (hasBecomeSilent(connection) && connections.size() > 1) {
                lost(connection, new TransientStoreException("no reply to commands in flight", true, null));
            } else if (isSilent(connection) && attempt == null && !retryPlanned) {
                open();
            }
        }
    }

    private boolean hasBecomeSilent(ServerConnection connection) {
        connection.silentTicks += connection.isAwaitingReplies() ? 1 : 0;
        return isSilent(connection);
    }

    // A call that takes several round trips has more time.
    private boolean isSilent(ServerConnection connection) {
        return connection.silentTicks > (maxCalls == 1 ? 3 * Outage.TICKS_PER_TIMEOUT / 4 : Outage.TICKS_PER_TIMEOUT / 2);
    }

    // ---- The end

    /** Whether a node that has no slots any more is of no use: without a connection, or without calls. */
    boolean mayRetire() {
        return connections.isEmpty() || unsent.isEmpty() && connections.stream().allMatch(one -> one.calls == 0);
    }

    /**
     * Ends this, because another node has taken over all that it had.
     *
     * @return the calls that were not sent
     */
    List<ServerCall<?>> retire() {
        List<ServerCall<?>> left = List.copyOf(unsent);
        unsent.clear();
        close();
        return left;
    }

    /** Fails all calls and closes the connections. */
    void close() {
        closed = true;
        List<ServerCall<?>> calls = List.copyOf(unsent);
        unsent.clear();
        calls.forEach(call -> call.result().completeExceptionally(Topology.stopping(false)));
        closeConnections(Topology.stopping(true));
        if (attempt != null) {
            abandonAttempt();
        }
    }

    @Override
    public String toString() {
        return outage.toString();
    }
}
