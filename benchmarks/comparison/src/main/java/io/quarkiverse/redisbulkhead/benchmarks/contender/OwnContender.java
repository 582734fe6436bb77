package io.quarkiverse.redisbulkhead.benchmarks.contender;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.vertx.core.Vertx;
import redis.clients.jedis.Jedis;

/** Calls through one of our stores, from behind the interceptor on. */
final class OwnContender implements Contender {

    private final RedisServerProcess redis;
    private final Vertx vertx;
    private final OwnApplication application;
    private final Semaphore semaphore;

    OwnContender(BenchmarkEnvironment environment, OwnStore store, Limit limit, boolean fair) {
        this.redis = environment.redis();
        this.vertx = environment.vertx();
        this.application = new OwnApplication(store, environment.vertx());
        this.semaphore = application.semaphore(SemaphoreSpec.named(limit.name()).permits(limit.permits()).fair(fair)
                .expire(Limit.LEASE).maxWait(limit.maxWait()).build());
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return application.newBlockingCaller(semaphore);
    }

    @Override
    public AsynchronousCaller newAsynchronousCaller() {
        return application.newAsynchronousCaller(vertx, semaphore);
    }

    @Override
    public void close() {
        application.close();
        try (Jedis jedis = redis.connect()) {
            jedis.keys(OwnStore.KEY_PREFIX + ":{" + semaphore.spec().name() + "}*").forEach(jedis::unlink);
        }
    }
}
