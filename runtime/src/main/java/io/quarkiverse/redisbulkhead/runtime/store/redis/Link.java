package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.core.Future;

/**
 * Keeps a connection to a server open: opens it when it is first wanted, and again, with a back-off, after a failed attempt
 * or a loss. Commands and messages have links of their own. Runs on the context of the {@link Topology}.
 */
abstract class Link {

    private static final Logger LOG = Logger.getLogger(Link.class);

    // For machines that are slower than the command timeout. The next attempt may lead to another server.
    private static final int LONGEST_ATTEMPT_MILLIS = 3_000;

    /** What an attempt to connect has met that gets no reply. */
    static final String NOT_CONNECTED = "no reply to the attempt to connect; Redis is silent, has reached maxclients, or only"
            + " one side uses TLS (rediss://)";

    final Topology topology;
    final String label;
    final Backoff pauses;
    final List<ServerConnection> connections = new ArrayList<>();
    /** The node of a cluster that is wanted; null when any node will do, or the client finds the server. */
    final String address;
    /** The node of a cluster that was tried last; null when the client finds the server. */
    String endpoint;
    boolean opening;
    boolean closed;
    private boolean pausing;

    /**
     * @param topology knows where connections lead
     * @param label what is connected, for messages; without secrets
     * @param address as {@link #address}
     * @param pauses between attempts
     */
    Link(Topology topology, String label, String address, Backoff pauses) {
        this.topology = topology;
        this.label = label;
        this.address = address;
        this.pauses = pauses;
    }

    /** What belongs to opening a connection. */
    abstract Future<Void> handshake(ServerConnection connection);

    /** A connection is open. */
    abstract void connected(ServerConnection connection);

    /** An attempt to open a connection failed; another one follows. */
    void attemptFailed(Throwable cause) {
        failed(ErrorReply.reason(cause));
    }

    /** Something failed for now. */
    void failed(String reason) {
        LOG.debugf("%s: %s", label, reason);
    }

    /** A command was answered; without an error if that is null. */
    void replied(ServerConnection connection, ErrorReply error) {
    }

    /** A connection was lost, possibly in its handshake. */
    void lost(ServerConnection connection, String reason) {
        failed(reason);
        leave(connection, reason);
    }

    /** Connects, unless that has been done. */
    void connect() {
        if (connections.isEmpty()) {
            open();
        }
    }

    /** Opens one more connection, unless an attempt is under way or planned. */
    void open() {
        if (closed || opening || pausing) {
            return;
        }
        opening = true;
        attempt().onComplete(result -> {
            opening = false;
            if (result.succeeded() && closed) {
                result.result().close(Kind.REFUSED, Topology.STOPPING);
            } else if (result.succeeded()) {
                connections.add(result.result());
                connected(result.result());
            } else if (!closed) {
                attemptFailed(result.cause());
                topology.connectionFailed(this);
                retry();
            }
        });
    }

    /** Fails with a {@link StoreException} if the client cannot be made, or is not answered in time. */
    private Future<ServerConnection> attempt() {
        ServerConnection connection;
        try {
            endpoint = address == null ? topology.nextEndpoint() : address;
            connection = new ServerConnection(this, topology.newClient(endpoint));
        } catch (RuntimeException e) {
            // Wrong options, or Vert.x is closed.
            return Future.failedFuture(new StoreException(Kind.REFUSED, "cannot be used: " + ErrorReply.reason(e)));
        }
        long most = Math.max(topology.timeoutMillis, LONGEST_ATTEMPT_MILLIS);
        return topology.context.succeededFuture().compose(now -> connection.open()).compose(open -> handshake(connection))
                .timeout(most, TimeUnit.MILLISECONDS)
                .onFailure(failure -> connection.close(Kind.TRANSIENT, "the attempt to connect failed"))
                .recover(failure -> Future.failedFuture(!(failure instanceof TimeoutException) ? failure
                        : new StoreException(Kind.TRANSIENT, NOT_CONNECTED)))
                .map(connection);
    }

    private void retry() {
        if (!pausing && !closed) {
            pausing = true;
            topology.vertx.setTimer(Math.max(1, pauses.next().toMillis()), timer -> {
                pausing = false;
                connect();
            });
        }
    }

    /** Closes a connection and opens another one, which may be to another node. */
    void leave(ServerConnection connection, String reason) {
        // One that is being opened ends with the attempt.
        if (connections.remove(connection)) {
            connection.close(Kind.TRANSIENT, reason);
            topology.connectionFailed(this);
            retry();
        }
    }

    /** Closes all connections and opens another one. */
    void moveOn(String reason) {
        List.copyOf(connections).forEach(connection -> leave(connection, reason));
    }

    /** Closes all connections for good. */
    void close(Kind kind, String reason) {
        closed = true;
        connections.forEach(connection -> connection.close(kind, reason));
        connections.clear();
    }
}
