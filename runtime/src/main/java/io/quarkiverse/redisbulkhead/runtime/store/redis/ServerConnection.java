package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One connection to one server. Commands are pipelined and answered in order. Nothing is sent twice: when the connection
 * is lost, commands without a reply fail with an unknown outcome, and later ones fail without being sent.
 * <p>
 * Runs on the context of the {@link Topology}.
 */
final class ServerConnection {

    private static final Pattern RUN_ID = Pattern.compile("\\brun_id:(\\w+)");

    final Link link;

    /** The connection of the client; null until it is open. */
    RedisConnection redis;

    /** What a handshake may wait for; fails when the connection is lost. */
    final Promise<Void> confirmed = Promise.promise();

    /** The run id of the server when the connection was opened; empty if it is not known. */
    String runId = "";

    /** How many calls use the connection. */
    int calls;

    /** For how many ticks commands have been in flight without any reply. */
    int silentTicks;

    /** Whether nothing has come since an attempt began to open a connection that takes over. */
    boolean isSuspect;

    /** Which command contained the text of the script last; from then on the server knows its digest. */
    long taughtWith;

    private final Redis client;
    private final Set<Promise<Response>> unanswered = new LinkedHashSet<>();
    private long sent;
    private String lostBecause;

    /**
     * @param client connects to the server; closed with this connection
     */
    ServerConnection(Link link, Redis client) {
        this.link = link;
        this.client = client;
    }

    /** Connects. If this connection was closed meanwhile, its client closes what opens too late. */
    Future<Void> open() {
        Context context = link.topology.context;
        return client.connect().map(opened -> {
            redis = opened;
            redis.endHandler(end -> context.runOnContext(now -> lost("closed by the server")));
            redis.exceptionHandler(failure -> context.runOnContext(now -> lost(ErrorReply.reason(failure))));
            return null;
        });
    }

    /**
     * Reads which run of the server this is, right after the connection was opened; that is no answer to a call. It also shows
     * whether the server requires a password, which the client does not notice when none is configured.
     */
    Future<Void> readRunId() {
        return redis.send(info()).map(ServerConnection::runId).recover(failure -> {
            // Without the right to read it.
            boolean isOpen = ErrorReply.of(failure).filter(error -> !error.is("NOAUTH")).isPresent();
            return isOpen ? Future.succeededFuture("") : Future.failedFuture(failure);
        }).map(read -> {
            runId = read;
            return null;
        });
    }

    static Request info() {
        return Request.cmd(Command.INFO).arg("server");
    }

    static String runId(Response info) {
        Matcher found = RUN_ID.matcher(info.toString());
        return found.find() ? found.group(1) : "";
    }

    boolean isOpen() {
        return lostBecause == null;
    }

    boolean isAwaitingReplies() {
        return !unanswered.isEmpty();
    }

    /** How many commands were sent. */
    long sent() {
        return sent;
    }

    /**
     * Sends a command.
     *
     * @return the reply; fails with what {@link ErrorReply#of} reads, or with a {@link StoreException} that is transient
     */
    Future<Response> send(Request command) {
        if (lostBecause != null) {
            return Future.failedFuture(new StoreException(Kind.TRANSIENT, lostBecause));
        }
        Promise<Response> answer = Promise.promise();
        unanswered.add(answer);
        sent++;
        redis.send(command).onComplete(result -> {
            Optional<ErrorReply> error = result.failed() ? ErrorReply.of(result.cause()) : Optional.empty();
            if (result.failed() && error.isEmpty()) {
                // Fails this command as well.
                lost(ErrorReply.reason(result.cause()));
            } else if (unanswered.remove(answer)) {
                silentTicks = 0;
                isSuspect = false;
                link.replied(this, error.orElse(null));
                answer.handle(result);
            }
        });
        return answer.future();
    }

    private void lost(String reason) {
        if (lostBecause == null) {
            confirmed.tryFail(reason);
            link.lost(this, "the connection was lost: " + reason);
        }
    }

    /** Closes the connection, and fails what is in flight with an unknown outcome. */
    void close(Kind kind, String reason) {
        if (lostBecause != null) {
            return;
        }
        lostBecause = reason;
        if (redis != null) {
            redis.endHandler(null);
            redis.exceptionHandler(null);
        }
        // Only that ends a connection which is silent.
        client.close();
        List<Promise<Response>> left = List.copyOf(unanswered);
        unanswered.clear();
        left.forEach(answer -> answer.tryFail(new StoreException(kind, reason)));
    }
}
