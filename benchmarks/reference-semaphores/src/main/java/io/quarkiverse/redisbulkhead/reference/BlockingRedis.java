package io.quarkiverse.redisbulkhead.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** One blocking connection for one thread. */
public final class BlockingRedis implements ReferenceConnection, AutoCloseable {

    private final Redis client;
    private final RedisConnection connection;

    /**
     * Connects.
     *
     * @param vertx its event loops
     * @param port of a server on this machine
     */
    public BlockingRedis(Vertx vertx, int port) {
        client = Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://127.0.0.1:" + port));
        connection = get(client.connect());
    }

    /**
     * A command for a transaction.
     *
     * @param command its name
     * @param args each is sent as its text
     * @return not sent yet
     */
    public static Request request(Command command, Object... args) {
        Request request = Request.cmd(command);
        for (Object arg : args) {
            request.arg(String.valueOf(arg));
        }
        return request;
    }

    @Override
    public Response send(Command command, Object... args) {
        return get(connection.send(request(command, args)));
    }

    @Override
    public Response transaction(Request... commands) {
        List<Request> all = new ArrayList<>();
        all.add(Request.cmd(Command.MULTI));
        all.addAll(List.of(commands));
        all.add(Request.cmd(Command.EXEC));
        return get(connection.batch(all)).get(all.size() - 1);
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        get(connection.close());
        client.close();
    }
}
