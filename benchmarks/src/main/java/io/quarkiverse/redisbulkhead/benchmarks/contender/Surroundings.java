package io.quarkiverse.redisbulkhead.benchmarks.contender;

import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * What contenders share, as the parts of one application do.
 *
 * @param redis the server
 * @param vertx the event loops of those that use Vert.x, with its defaults
 */
public record Surroundings(RedisServerProcess redis, Vertx vertx) implements AutoCloseable {

    /** A client as Quarkus makes it. */
    Redis newClient() {
        return Redis.createClient(vertx, new RedisOptions().setConnectionString(redis.url()));
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        redis.close();
    }
}
