package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.Collections;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import redis.clients.jedis.Jedis;

/** Guarded methods over one of our stores. */
final class OwnContender implements Contender {

    private final RedisServerProcess redis;
    private final OwnApplication application;
    private final Semaphore semaphore;

    OwnContender(Surroundings surroundings, OwnStore store, Limit limit, boolean fair) {
        this.redis = surroundings.redis();
        this.application = new OwnApplication(store, surroundings.vertx());
        this.semaphore = application.semaphore(SemaphoreSpec.named(limit.name()).permits(limit.permits()).fair(fair)
                .expire(Limit.LEASE).maxWait(limit.maxWait()).build());
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return application.newBlockingCaller(semaphore.spec().name(), () -> semaphore);
    }

    @Override
    public AsynchronousCaller newAsynchronousCaller() {
        return application.newAsynchronousCaller(semaphore);
    }

    @Override
    public void hold(int permits) throws InterruptedException {
        application.hold(Collections.nCopies(permits, semaphore));
    }

    @Override
    public void close() {
        application.close();
        try (Jedis jedis = redis.connect()) {
            jedis.keys(OwnStore.KEY_PREFIX + ":{" + semaphore.spec().name() + "}*").forEach(jedis::unlink);
        }
    }
}
