package io.quarkiverse.redisbulkhead.runtime.store.redis;

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
        throw notForCalls();
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
        return new UnsupportedOperationException("Calls send single commands; the connection belongs to its server");
    }
}
