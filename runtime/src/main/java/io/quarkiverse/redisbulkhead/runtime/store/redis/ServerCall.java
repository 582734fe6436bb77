package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology.Connection;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * A call to Redis, from {@link Topology#send} until it is answered or has failed: one command, or several over one connection
 * that depend on each other. Carried out once, unless the server certainly did nothing and named another one.
 *
 * @param <T> the result
 */
final class ServerCall<T> implements Connection {

    /** What the call is, for messages: its command or keys, without the key value of a user. */
    final String about;

    /** A key that decides which node of a cluster gets the call; null when any node will do. */
    final String routingKey;

    final CompletableFuture<T> result = new CompletableFuture<>();

    /** How often a node of a cluster named another one. */
    int redirects;

    /** Whether each command is preceded by {@code ASKING}, because a node redirected the call with {@code ASK}. */
    boolean asking;

    /** Whether a node named another one for good that is not yet known as the one with the key. */
    boolean hasMoved;

    private final Function<Connection, Future<T>> work;
    private ServerConnection connection;

    ServerCall(String about, String routingKey, Function<Connection, Future<T>> work) {
        this.about = about;
        this.routingKey = routingKey;
        this.work = work;
    }

    Future<T> over(ServerConnection carrier) {
        connection = carrier;
        try {
            return work.apply(this);
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    @Override
    public Future<Response> send(Request command) {
        if (asking) {
            connection.send(Request.cmd(Command.ASKING));
        }
        return connection.send(command);
    }

    @Override
    public Future<Response> run(String script, String sha1, List<String> keys, List<String> args) {
        long begun = connection.sent();
        return send(request(Command.EVALSHA, sha1, keys, args)).recover(failure -> {
            if (!ErrorReply.is(failure, "NOSCRIPT")) {
                return Future.failedFuture(failure);
            }
            // After SCRIPT FLUSH or a restart many calls learn this; the text is sent for the first of them.
            if (connection.taughtWith > begun) {
                return run(script, sha1, keys, args);
            }
            connection.taughtWith = connection.sent() + 1;
            return send(request(Command.EVAL, script, keys, args));
        });
    }

    private static Request request(Command command, String script, List<String> keys, List<String> args) {
        Request request = Request.cmd(command).arg(script).arg(keys.size());
        keys.forEach(request::arg);
        args.forEach(request::arg);
        return request;
    }

    @Override
    public String server() {
        return connection.runId;
    }

    // A node that a slot is moving to, or has just moved to, may not have the key yet.
    @Override
    public long serverSinceMillis() {
        return asking || hasMoved ? 0 : connection.link.topology.serverSinceMillis(routingKey);
    }
}
