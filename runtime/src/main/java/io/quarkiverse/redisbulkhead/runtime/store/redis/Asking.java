package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.List;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Sends {@code ASKING} before each command, for a node of a cluster that does not have the slot yet. */
final class Asking implements RedisConnection {

    private final RedisConnection connection;

    Asking(RedisConnection connection) {
        this.connection = connection;
    }

    @Override
    public Future<Response> send(Request command) {
        connection.send(Request.cmd(Command.ASKING));
        return connection.send(command);
    }

    @Override
    public Future<List<Response>> batch(List<Request> commands) {
        List<Request> all = new ArrayList<>(2 * commands.size());
        commands.forEach(command -> {
            all.add(Request.cmd(Command.ASKING));
            all.add(command);
        });
        return connection.batch(all).map(replies -> {
            List<Response> answers = new ArrayList<>(commands.size());
            for (int i = 1; i < replies.size(); i += 2) {
                answers.add(replies.get(i));
            }
            return answers;
        });
    }

    @Override
    public boolean pendingQueueFull() {
        return connection.pendingQueueFull();
    }

    @Override
    public RedisConnection exceptionHandler(Handler<Throwable> handler) {
        throw notForCalls();
    }

    @Override
    public RedisConnection handler(Handler<Response> handler) {
        throw notForCalls();
    }

    @Override
    public RedisConnection pause() {
        throw notForCalls();
    }

    @Override
    public RedisConnection resume() {
        throw notForCalls();
    }

    @Override
    public RedisConnection fetch(long amount) {
        throw notForCalls();
    }

    @Override
    public RedisConnection endHandler(Handler<Void> handler) {
        throw notForCalls();
    }

    @Override
    public Future<Void> close() {
        throw notForCalls();
    }

    private static UnsupportedOperationException notForCalls() {
        return new UnsupportedOperationException("A call only sends; the connection belongs to its server");
    }
}
