package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ServerCall;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Limits nothing: two {@code PING}s in place of a pair, each a command of its own, over a connection like that of the store
 * with
 * scripts. What any semaphore pays that asks Redis once for a permit and once to give it back.
 */
final class TwoPings implements Contender {

    private final PingStore store;

    TwoPings(BenchmarkEnvironment environment) {
        store = new PingStore(OwnStore.connection(environment));
    }

    /** Sends a {@code PING} where another store would send the step of a bulkhead. */
    private static final class PingStore extends RedisShareStore {

        private final BulkheadKeys keys = new BulkheadKeys(OwnStore.KEY_PREFIX, BulkheadId.of("ping"));

        private PingStore(Topology topology) {
            super(topology);
        }

        CompletionStage<Response> ping() {
            return send(keys, (own, connection) -> connection.send(Request.cmd(Command.PING)));
        }

        @Override
        protected Future<Position> sync(BulkheadKeys own, ServerCall.Connection connection, Statement statement) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected Future<Integer> revoke(BulkheadKeys own, ServerCall.Connection connection, String instance, String permitId,
                int permits) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected Future<Boolean> resize(BulkheadKeys own, ServerCall.Connection connection, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected Future<ShareOverview> look(BulkheadKeys own, ServerCall.Connection connection, int most) {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return execution -> {
            store.ping().toCompletableFuture().get();
            execution.run();
            store.ping().toCompletableFuture().get();
        };
    }

    @Override
    public AsynchronousCaller newAsynchronousCaller() {
        return new AsynchronousCaller() {

            @Override
            public void pair(Runnable execution, Consumer<Throwable> end) {
                store.ping().thenCompose(pong -> {
                    execution.run();
                    return store.ping();
                }).whenComplete((pong, failure) -> end.accept(failure));
            }
        };
    }

    @Override
    public void close() {
        store.close();
    }
}
