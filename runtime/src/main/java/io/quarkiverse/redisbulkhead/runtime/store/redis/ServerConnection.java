package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.TransientStoreException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VertxException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One open connection to one server. Commands are pipelined and answered in order. Nothing is sent twice: when the connection
 * is lost, commands without a reply fail with an unknown outcome, and later ones fail without being sent.
 * <p>
 * Runs on the context of the {@link Topology}.
 */
final class ServerConnection {

    /** Receives what happens to a connection. */
    interface Listener {

        /** A reply came: an error, or something else. */
        void replied(ServerConnection connection, Optional<ErrorReply> error);

        /** The connection was lost, not closed by this instance. */
        void lost(ServerConnection connection, TransientStoreException loss);
    }

    private static final Pattern RUN_ID = Pattern.compile("\\brun_id:(\\w+)");

    private final Redis client;
    private final RedisConnection redis;
    private final String runId;
    private final Listener listener;
    private final Set<Promise<Response>> unanswered = new LinkedHashSet<>();
    private final Map<String, Long> scripts = new HashMap<>();
    private long sent;
    private String lostBecause;

    /** How many calls use the connection. */
    int calls;
    /** For how many ticks commands have been in flight without any reply. */
    int silentTicks;
    /** Takes no more calls, and is closed after the last one. */
    boolean retired;

    private ServerConnection(Redis client, RedisConnection redis, String runId, Context context, Listener listener) {
        this.client = client;
        this.redis = redis;
        this.runId = runId;
        this.listener = listener;
        redis.endHandler(end -> context.runOnContext(now -> lost(new VertxException("closed by the server", true))));
        redis.exceptionHandler(failure -> context.runOnContext(now -> lost(failure)));
    }

    /**
     * Reads which run of the server this is, over a connection that was just opened. That also shows whether the server
     * requires a password, which the client does not notice when none is configured.
     *
     * @param client closed together with the connection: only that ends a connection which is silent
     */
    static Future<ServerConnection> handshake(Redis client, RedisConnection opened, Context context, Listener listener) {
        return opened.send(Request.cmd(Command.INFO).arg("server")).transform(result -> {
            if (result.succeeded()) {
                return connection(client, opened, runId(result.result()), context, listener);
            }
            boolean refused = ErrorReply.of(result.cause()).map(ErrorReply::isAuthenticationMissing).orElse(true);
            return refused ? Future.failedFuture(result.cause()) : connection(client, opened, "", context, listener);
        });
    }

    private static Future<ServerConnection> connection(Redis client, RedisConnection opened, String runId, Context context,
            Listener listener) {
        return Future.succeededFuture(new ServerConnection(client, opened, runId, context, listener));
    }

    private static String runId(Response info) {
        Matcher found = RUN_ID.matcher(info.toString());
        return found.find() ? found.group(1) : "";
    }

    /** Asks again for the run id of the server; empty if it cannot be told. */
    Future<String> currentRunId() {
        return runId.isEmpty() ? Future.succeededFuture("")
                : send(Request.cmd(Command.INFO).arg("server")).map(ServerConnection::runId).otherwise("");
    }

    /** The run id of the server; empty if the user may not read it. */
    String runId() {
        return runId;
    }

    boolean isOpen() {
        return lostBecause == null;
    }

    boolean isAwaitingReplies() {
        return !unanswered.isEmpty();
    }

    /**
     * Sends a command.
     *
     * @return the reply; fails with what {@link ErrorReply#of} reads, or with a {@link TransientStoreException}
     */
    Future<Response> send(Request command) {
        if (lostBecause != null) {
            return Future.failedFuture(new TransientStoreException(lostBecause, false, null));
        }
        Promise<Response> answer = Promise.promise();
        unanswered.add(answer);
        sent++;
        redis.send(command).onComplete(result -> {
            Optional<ErrorReply> error = result.failed() ? ErrorReply.of(result.cause()) : Optional.empty();
            if (result.failed() && error.isEmpty()) {
                // Fails this command as well.
                lost(result.cause());
            } else if (unanswered.remove(answer)) {
                silentTicks = 0;
                listener.replied(this, error);
                answer.handle(result);
            }
        });
        return answer.future();
    }

    /** How many commands were sent. */
    long sent() {
        return sent;
    }

    /** The text of a script is about to be sent; from then on the server knows its digest. */
    void teaching(LuaScript script) {
        scripts.put(script.sha1(), sent + 1);
    }

    /** Which command contained the text of the script last; 0 for none. */
    long taught(LuaScript script) {
        return scripts.getOrDefault(script.sha1(), 0L);
    }

    private void lost(Throwable cause) {
        if (lostBecause == null) {
            String reason = cause instanceof StoreException ? cause.getMessage()
                    : "the connection was lost: " + Redacted.reason(cause);
            listener.lost(this, new TransientStoreException(reason, true, Redacted.failure(cause)));
        }
    }

    /** Sends a command whose reply does not matter, before the next one. */
    void sendFirst(Request command) {
        redis.send(command);
    }

    /** Closes the connection, and fails what is in flight. */
    void close(StoreException reason) {
        if (lostBecause != null) {
            return;
        }
        lostBecause = reason.getMessage();
        redis.endHandler(null);
        redis.exceptionHandler(null);
        client.close();
        List<Promise<Response>> left = List.copyOf(unanswered);
        unanswered.clear();
        StoreException failure = reason.withUnknownOutcome();
        left.forEach(answer -> answer.tryFail(failure));
    }
}
