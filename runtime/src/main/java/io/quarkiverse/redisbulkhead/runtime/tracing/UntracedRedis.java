package io.quarkiverse.redisbulkhead.runtime.tracing;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.opentelemetry.api.internal.InstrumentationUtil;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.quarkiverse.redisbulkhead.runtime.RedisDecorator;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Keeps the commands of bulkheads out of traces. They are sent for many callers at once, on a Vert.x context that belongs to
 * none of them, so that each would be a trace of its own. The commands of the application stay in its traces.
 */
@Singleton
public class UntracedRedis implements RedisDecorator {

    private final VertxInternal vertx;
    private final Context untraced;

    /**
     * Decorates nothing yet.
     *
     * @param vertx has the contexts
     */
    @Inject
    public UntracedRedis(Vertx vertx) {
        this.vertx = (VertxInternal) vertx;
        AtomicReference<Context> context = new AtomicReference<>();
        InstrumentationUtil.suppressInstrumentation(() -> context.set(Context.current()));
        this.untraced = context.get();
    }

    @Override
    public Redis decorate(Redis redis) {
        return new Client(redis);
    }

    // The tracing context is that of the duplicate while the command is sent. It is gone when the answer comes, and the answer
    // comes where it would come without this.
    private <T> Future<T> untraced(Supplier<Future<T>> sending) {
        ContextInternal context = vertx.getOrCreateContext();
        Promise<T> answer = context.promise();
        context.duplicate().dispatch(() -> {
            try (Scope scope = untraced.makeCurrent()) {
                sending.get().onComplete(answer);
            } catch (RuntimeException e) {
                // A client that cannot work, for example because it is closed, throws.
                answer.fail(e);
            }
        });
        return answer.future();
    }

    private final class Client implements Redis {

        private final Redis redis;

        private Client(Redis redis) {
            this.redis = redis;
        }

        @Override
        public Future<RedisConnection> connect() {
            return redis.connect().map(Connection::new);
        }

        @Override
        public void close() {
            redis.close();
        }

        @Override
        public Future<Response> send(Request command) {
            return untraced(() -> redis.send(command));
        }

        @Override
        public Future<List<Response>> batch(List<Request> commands) {
            return untraced(() -> redis.batch(commands));
        }
    }

    private final class Connection implements RedisConnection {

        private final RedisConnection connection;

        private Connection(RedisConnection connection) {
            this.connection = connection;
        }

        @Override
        public Future<Response> send(Request command) {
            return untraced(() -> connection.send(command));
        }

        @Override
        public Future<List<Response>> batch(List<Request> commands) {
            return untraced(() -> connection.batch(commands));
        }

        @Override
        public RedisConnection exceptionHandler(Handler<Throwable> handler) {
            connection.exceptionHandler(handler);
            return this;
        }

        @Override
        public RedisConnection handler(Handler<Response> handler) {
            connection.handler(handler);
            return this;
        }

        @Override
        public RedisConnection endHandler(Handler<Void> handler) {
            connection.endHandler(handler);
            return this;
        }

        @Override
        public RedisConnection pause() {
            connection.pause();
            return this;
        }

        @Override
        public RedisConnection resume() {
            connection.resume();
            return this;
        }

        @Override
        public RedisConnection fetch(long amount) {
            connection.fetch(amount);
            return this;
        }

        @Override
        public Future<Void> close() {
            return connection.close();
        }

        @Override
        public boolean pendingQueueFull() {
            return connection.pendingQueueFull();
        }
    }
}
