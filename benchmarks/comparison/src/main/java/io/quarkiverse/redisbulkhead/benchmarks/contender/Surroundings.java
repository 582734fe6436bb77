package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.io.IOException;

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

    /** Starts a server and event loops. */
    public static Surroundings start() throws IOException, InterruptedException {
        return new Surroundings(RedisServerProcess.start(), newVertx());
    }

    /** Joins the server of another process. */
    public static Surroundings join(int redisPort) {
        return new Surroundings(RedisServerProcess.ofOther(redisPort), newVertx());
    }

    private static Vertx newVertx() {
        Vertx vertx = Vertx.vertx();
        vertx.exceptionHandler(Throwable::printStackTrace);
        return vertx;
    }

    /** A client as Quarkus makes it. */
    Redis newClient() {
        return Redis.createClient(vertx, options());
    }

    RedisOptions options() {
        return new RedisOptions().setConnectionString(redis.url());
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        redis.close();
    }
}
