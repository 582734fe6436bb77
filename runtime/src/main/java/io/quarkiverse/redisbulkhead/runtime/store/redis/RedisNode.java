package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.ConnectionListener;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;

/**
 * One Redis server, or whichever server the sentinels call master: keeps it connected, carries out calls, and decides whether
 * it is away. A call waits until there is a connection; once it is sent, it fails together with its connection.
 * <p>
 * The server is away when, with calls outstanding, nothing but transient failures has come from it for the command timeout. A
 * call that failed for a transient reason counts as outstanding for a while, because its sender tries again. What cannot pass
 * by itself, such as a wrong password, begins an outage immediately. During an outage there is no connection, and all calls
 * fail, until a new connection executes a write, or refuses it for a reason that does not pass by itself: a server whose memory
 * is full is not away, because permits can be returned to it, and its refusals give callers the cause.
 * <p>
 * Silence is counted in timer ticks. The event loop reads between two ticks, so a pause of this process counts as one tick.
 * <p>
 * Runs on the context of the {@link Topology}.
 */
final class RedisNode extends Link {

    private static final Logger LOG = Logger.getLogger(RedisNode.class);

    private static final int MAX_CONNECTIONS = 4;
    private static final int TICKS_PER_TIMEOUT = 20;
    private static final long FIRST_ATTEMPT_MILLIS = 1_000;
    /** Longer than the pauses before a call is made again. */
    private static final long TRYING_AGAIN_MILLIS = 1_000;
    /** Between refusals of a command that are logged. */
    private static final long REFUSAL_LOG_GAP_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final String NO_REPLY = "no reply to commands in flight";

    private final int maxConnections;
    private final int maxCalls;
    private final long tickMillis;

    private final Deque<ServerCall<?>> unsent = new ArrayDeque<>();
    private boolean wasConnected;
    private String runId = "";
    private String keysOfProbe;
    private long nextRefusalLogNanos = System.nanoTime();

    private int outstanding;
    private long ticksOfDemand;
    private int silentTicks;
    private boolean ticking;
    /** The last transient failure since the server answered; null without one. */
    private String lastError;
    /** What calls fail with during an outage; null otherwise. */
    private StoreException outage;

    /**
     * @param topology receives what happens to the server
     * @param label what the server is called in messages; without secrets
     * @param address the node of a cluster; null when any node will do, or the client finds the server
     * @param pipelined whether one connection carries many calls concurrently, or several carry one call each
     */
    RedisNode(Topology topology, String label, String address, boolean pipelined) {
        super(topology, label, address, new Backoff(Duration.ofMillis(10), Duration.ofMillis(500)));
        this.maxConnections = pipelined ? 1 : MAX_CONNECTIONS;
        this.maxCalls = pipelined ? Topology.MAX_IN_FLIGHT : 1;
        this.tickMillis = Math.max(1, topology.timeoutMillis / TICKS_PER_TIMEOUT);
        // Until a call has named others.
        this.keysOfProbe = topology.keyPrefix + ":{}:";
    }

    // ---- Calls

    /** Sends a call, as soon as there is room. */
    void submit(ServerCall<?> call) {
        if (outage != null) {
            call.result.completeExceptionally(outage);
            return;
        }
        if (!hasDemand()) {
            silentTicks = 0;
        }
        outstanding++;
        unsent.add(call);
        startTicking();
        flush();
    }

    /** Sends what was submitted, as far as there is room, and connects where a connection is missing. */
    private void flush() {
        for (ServerConnection connection : List.copyOf(connections)) {
            while (!unsent.isEmpty() && connection.calls < maxCalls && connection.isOpen()) {
                begin(connection, unsent.poll());
            }
        }
        if (!unsent.isEmpty() && connections.size() < maxConnections) {
            open();
        }
    }

    private <T> void begin(ServerConnection connection, ServerCall<T> call) {
        if (call.routingKey != null) {
            keysOfProbe = call.routingKey;
        }
        connection.calls++;
        call.over(connection).onComplete(result -> {
            connection.calls--;
            outstanding--;
            // Sent before the caller continues, so that Redis works meanwhile.
            flush();
            ended(call, result);
        });
    }

    private <T> void ended(ServerCall<T> call, AsyncResult<T> result) {
        Optional<ErrorReply> error = ErrorReply.of(result.cause());
        if (result.succeeded()) {
            call.result.complete(result.result());
        } else if (error.flatMap(ErrorReply::redirection).filter(to -> topology.redirect(this, call, to)).isEmpty()) {
            StoreException failure = error.isPresent() ? refusal(call, error.get())
                    : result.cause() instanceof StoreException known ? known
                            : new StoreException("Unexpected reply from Redis for " + call.about + " (" + result.cause()
                                    + "). If another application uses this key, set quarkus.redis-bulkhead.key-prefix to a "
                                    + "prefix that no other application uses", result.cause());
            call.result.completeExceptionally(failure.kind() == Kind.TRANSIENT && outage != null ? outage : failure);
        }
    }

    private StoreException refusal(ServerCall<?> call, ErrorReply error) {
        String explanation = error.explanation(topology.properties);
        if (error.meansUnavailable()) {
            return new StoreException(Kind.TRANSIENT, explanation);
        }
        // One line for many calls, because operators need the reason only once.
        if (System.nanoTime() - nextRefusalLogNanos >= 0) {
            nextRefusalLogNanos = System.nanoTime() + REFUSAL_LOG_GAP_NANOS;
            LOG.errorf("Redis refused a command (%s). %s. %s", call.about, explanation, LogMessage.REFUSED);
        }
        return new StoreException(Kind.REFUSED, explanation);
    }

    // ---- What connections report

    @Override
    void replied(ServerConnection connection, ErrorReply error) {
        // TRYAGAIN is about the keys of one bulkhead, which are being moved.
        if (error == null || !error.meansUnavailable() || error.is("TRYAGAIN")) {
            answered();
        } else {
            String explanation = error.explanation(topology.properties);
            failed(explanation);
            if (error.callsForAnotherConnection()) {
                leave(connection, explanation);
            }
        }
    }

    private void answered() {
        silentTicks = 0;
        ticksOfDemand = 0;
        lastError = null;
        pauses.reset();
    }

    @Override
    void failed(String reason) {
        super.failed(reason);
        lastError = reason;
        if (outstanding > 0) {
            ticksOfDemand = Math.max(1, TRYING_AGAIN_MILLIS / tickMillis);
        }
    }

    // ---- Connecting

    @Override
    Future<Void> handshake(ServerConnection connection) {
        return connection.readRunId().compose(read -> outage == null ? Future.succeededFuture() : probe(connection));
    }

    // Reads prove nothing, because a replica answers them. Next to the keys of the last call, so in a slot of this node.
    private Future<Void> probe(ServerConnection connection) {
        Request write = Request.cmd(Command.SET).arg(keysOfProbe + "probe").arg("1").arg("PX").arg(1_000);
        return connection.redis.send(write).<Void> mapEmpty().recover(failure -> {
            boolean lasts = ErrorReply.of(failure).filter(error -> !error.meansUnavailable()).isPresent();
            return lasts ? Future.succeededFuture() : Future.failedFuture(failure);
        });
    }

    @Override
    void connected(ServerConnection connection) {
        boolean isSameRun = !connection.runId.isEmpty() && connection.runId.equals(runId);
        List<ServerConnection> silent = connections.stream().filter(other -> other.isSuspect).toList();
        // Beside others, so that nothing can have happened to the data. An unknown run may be a new one.
        boolean isOneMore = (connection.runId.isEmpty() || isSameRun) && connections.size() > silent.size() + 1;
        if (isOneMore && connections.size() > silent.size() + maxConnections) {
            // The one that it was to replace has replied meanwhile.
            connections.remove(connection);
            connection.close(Kind.TRANSIENT, "not needed");
            return;
        }
        runId = connection.runId;
        if (lastError == null) {
            // The next command has its time.
            silentTicks = 0;
        }
        boolean wasAway = outage != null;
        if (wasAway) {
            outage = null;
            answered();
            LOG.infof("%s is available again", label);
        }
        silent.forEach(other -> lost(other, NO_REPLY));
        if (!isOneMore && wasConnected) {
            topology.reconnected(this, !isSameRun);
        }
        wasConnected = true;
        if (wasAway) {
            topology.report(ConnectionListener::availabilityChanged);
        }
        flush();
    }

    @Override
    void attemptFailed(Throwable cause) {
        Optional<ErrorReply> refusal = ErrorReply.of(cause).filter(ErrorReply::refusesConnection);
        String reason = refusal.isPresent() ? "refuses the connection. " + refusal.get().explanation(topology.properties)
                : cause instanceof StoreException ? cause.getMessage()
                        : "cannot connect: " + ErrorReply.reason(cause) + " (" + topology.properties + ".hosts)";
        failed(reason);
        if (connections.isEmpty() && (refusal.isPresent() || StoreException.is(cause, Kind.REFUSED))) {
            beginOutage(Kind.REFUSED, reason);
        }
    }

    // ---- Outages

    private void beginOutage(Kind kind, String reason) {
        String message = label + " " + reason;
        boolean begins = outage == null;
        if (begins || !message.equals(outage.getMessage())) {
            LOG.warnf("%s. Bulkheads follow on-outage until %s is available. %s", message, label, LogMessage.AWAY);
        }
        outage = new StoreException(kind, message);
        if (begins) {
            pauses.reset();
            moveOn("Redis is away");
            failUnsent(outage);
            topology.report(ConnectionListener::availabilityChanged);
        }
    }

    private void failUnsent(StoreException failure) {
        takeUnsent().forEach(call -> call.result.completeExceptionally(failure));
    }

    // Whether something waits for the server, or will in a moment.
    private boolean hasDemand() {
        return outstanding > 0 || ticksOfDemand > 0;
    }

    private void startTicking() {
        if (!ticking && !closed) {
            ticking = true;
            topology.vertx.setTimer(tickMillis, timer -> tick());
        }
    }

    private void tick() {
        ticking = false;
        replaceSilentConnections();
        if (outage != null || closed || !hasDemand()) {
            return;
        }
        ticksOfDemand = Math.max(0, ticksOfDemand - 1);
        // The first attempt to connect gets a second, however short the command timeout is; but calls must not wait for its end.
        boolean isCold = !wasConnected && lastError == null;
        if (++silentTicks > TICKS_PER_TIMEOUT + (isCold ? FIRST_ATTEMPT_MILLIS / tickMillis : 0)) {
            String error = lastError == null && connections.isEmpty() ? NOT_CONNECTED : lastError;
            beginOutage(Kind.AWAY, "has not executed a command for " + topology.timeoutMillis
                    + " ms (quarkus.redis-bulkhead.command-timeout)" + (error == null ? "" : ". Last error: " + error));
        } else {
            startTicking();
        }
    }

    // A connection can be dead though the server is not. Another one is opened in good time, and takes over if this one has
    // still not replied when it is open: a server that is only slow would reply to no call if connections were closed earlier.
    private void replaceSilentConnections() {
        // A call that takes several round trips has more time.
        int most = maxCalls == 1 ? 3 * TICKS_PER_TIMEOUT / 4 : TICKS_PER_TIMEOUT / 2;
        boolean isAny = false;
        for (ServerConnection connection : connections) {
            connection.silentTicks += connection.isAwaitingReplies() ? 1 : 0;
            boolean isSilent = connection.silentTicks > most;
            connection.isSuspect |= isSilent && !opening;
            isAny |= isSilent;
        }
        if (isAny) {
            open();
        }
    }

    // ---- The end

    /** Whether no call is in flight, so that a node which has no slots any more is of no use. */
    boolean mayRetire() {
        return connections.stream().allMatch(connection -> connection.calls == 0);
    }

    /** Gives away the calls that were not sent, because another node has taken over what this one had. */
    List<ServerCall<?>> takeUnsent() {
        List<ServerCall<?>> calls = List.copyOf(unsent);
        unsent.clear();
        outstanding -= calls.size();
        return calls;
    }

    /** Fails all calls, and closes the connections. */
    @Override
    void close(Kind kind, String reason) {
        failUnsent(new StoreException(kind, reason));
        super.close(kind, reason);
    }
}
