package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.function.Consumer;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * The connection as calls see it. Each reply counts as a sign of life, also those in the middle of a call that takes
 * several round trips. To a node of a cluster that does not have the slot yet, {@code ASKING} goes before each command.
 */
final class CallConnection implements RedisConnection {

    private final RedisConnection connection;
    private final boolean asking;
    private final Consumer<AsyncResult<Response>> onReply;

    /**
     * @param asking whether the node has to be told that it was named by {@code ASK}
     * @param onReply receives each reply, before the call does
     */
    CallConnection(RedisConnection connection, boolean asking, Consumer<AsyncResult<Response>> onReply) {
        this.connection = connection;
        this.asking = asking;
        this.onReply = onReply;
    }

    @Override
    public Future<Response> send(Request command) {
        if (asking) {
            connection.send(Request.cmd(Command.ASKING));
        }
        return connection.send(command).onComplete(onReply::accept);
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
