package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.RedisStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Limits nothing: two {@code PING}s in place of a pair, each a command of its own, over the connection that the store with
 * scripts has. What any semaphore pays that asks Redis once for a permit and once to give it back.
 */
final class TwoPings implements Contender {

    private static final RedisCall<Response> PING = new RedisCall<>() {

        @Override
        public Future<Response> over(RedisConnection connection) {
            return connection.send(Request.cmd(Command.PING));
        }

        @Override
        public String about() {
            return "PING";
        }
    };

    private final RedisStore store;
    private final RedisConnectionManager connections;

    TwoPings(Surroundings surroundings) {
        store = OwnStore.stores(surroundings).script();
        connections = store.connections();
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return execution -> {
            connections.send(PING).toCompletableFuture().get();
            execution.run();
            connections.send(PING).toCompletableFuture().get();
        };
    }

    @Override
    public AsynchronousCaller newAsynchronousCaller() {
        return new AsynchronousCaller() {

            @Override
            public void pair(Runnable execution, Consumer<Throwable> end) {
                connections.send(PING).thenCompose(pong -> {
                    execution.run();
                    return connections.send(PING);
                }).whenComplete((pong, failure) -> end.accept(failure));
            }
        };
    }

    @Override
    public void close() {
        store.close();
    }
}
