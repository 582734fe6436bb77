package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Limits nothing: two {@code PING}s in place of a pair, each a command of its own, over a connection like that of the store
 * with scripts. What any semaphore pays that asks Redis once for a permit and once to give it back.
 */
final class TwoPings implements Contender {

    private static final String KEY = OwnStore.KEY_PREFIX + ":{ping}:";

    private final Topology topology;

    TwoPings(BenchmarkEnvironment environment) {
        topology = OwnStore.connection(environment);
    }

    private CompletionStage<Response> ping() {
        return topology.send("PING", KEY, connection -> connection.send(Request.cmd(Command.PING)));
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return execution -> {
            ping().toCompletableFuture().get();
            execution.run();
            ping().toCompletableFuture().get();
        };
    }

    @Override
    public AsynchronousCaller newAsynchronousCaller() {
        return new AsynchronousCaller() {

            @Override
            public void pair(Runnable execution, Consumer<Throwable> end) {
                ping().thenCompose(pong -> {
                    execution.run();
                    return ping();
                }).whenComplete((pong, failure) -> end.accept(failure));
            }
        };
    }

    @Override
    public void close() {
        topology.close();
    }
}
