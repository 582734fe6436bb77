package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.net.URI;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import io.vertx.core.Vertx;

/** What contenders share, as the parts of one application do. */
@Singleton
public class BenchmarkEnvironment {

    private final RedisServerProcess redis;
    private final Vertx vertx;
    private final GuardedCalls calls;

    /**
     * Those of the application that runs.
     *
     * @param hosts its Redis
     * @param vertx its event loops
     * @param calls its guarded methods
     */
    @Inject
    public BenchmarkEnvironment(@ConfigProperty(name = "quarkus.redis.hosts") URI hosts, Vertx vertx, GuardedCalls calls) {
        this(hosts.getPort(), vertx, calls);
    }

    private BenchmarkEnvironment(int redisPort, Vertx vertx, GuardedCalls calls) {
        this.redis = RedisServerProcess.ofOther(redisPort);
        this.vertx = vertx;
        this.calls = calls;
    }

    /** Those of a process without an application. */
    public static BenchmarkEnvironment ofProcess(int redisPort) {
        return new BenchmarkEnvironment(redisPort, Vertx.vertx(), null);
    }

    /** The server. */
    public RedisServerProcess redis() {
        return redis;
    }

    /** The event loops of contenders that use Vert.x. */
    public Vertx vertx() {
        return vertx;
    }

    /** Redisson with its defaults. */
    RedissonClient newRedisson() {
        Config config = new Config();
        config.useSingleServer().setAddress(redis.url());
        return Redisson.create(config);
    }

    /** The guarded methods. */
    GuardedCalls calls() {
        return calls;
    }
}
