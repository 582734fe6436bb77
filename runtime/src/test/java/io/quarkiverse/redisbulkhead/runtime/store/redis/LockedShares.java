package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.vertx.core.Future;

/** Steps under the lock, on a model of Redis. */
final class LockedShares implements ComparedShares {

    private static final BulkheadKeys KEYS = new BulkheadKeys("k", BULKHEAD);

    private final RedisModel redis = new RedisModel(0);
    private final ModelConnection connection = new ModelConnection(redis);
    private final LockSteps steps = new LockSteps("k:instance:a", Duration.ofSeconds(1));

    private Object result(Future<?> future) {
        connection.executeAll();
        if (future.succeeded()) {
            return future.result();
        }
        if (future.cause() instanceof StoreException) {
            return "refused";
        }
        throw new AssertionError(future.cause());
    }

    private <T> Object step(Function<ShareMachine, T> operation) {
        return result(steps.step(KEYS, connection, List.of(), null, operation));
    }

    @Override
    public void at(long micros, String runId) {
        redis.setMicros(micros);
        redis.setRunId(runId);
    }

    @Override
    public Object sync(String instance, Statement statement) {
        return step(machine -> machine.sync(instance, statement));
    }

    @Override
    public Object revoke(String field, int permits) {
        return step(machine -> machine.revoke(field, permits));
    }

    @Override
    public Object resize(int limit) {
        return step(machine -> machine.resize(limit));
    }

    @Override
    public ShareOverview look(int most) {
        return (ShareOverview) result(RedisShareStore.look(KEYS, connection, most));
    }

    @Override
    public BulkheadId bulkhead() {
        return BULKHEAD;
    }

    @Override
    public long micros() {
        return redis.micros();
    }

    @Override
    public List<ShareMachine.Sent> takeMessages() {
        return ComparedShares.sent(BULKHEAD, redis.takePublished());
    }

    @Override
    public Stored stored() {
        if (!redis.describe("k:{b}:lock").isEmpty()) {
            throw new AssertionError("The step has left its lock");
        }
        return ComparedShares.stored(redis);
    }

    @Override
    public void restore(Stored stored) {
        ComparedShares.restore(redis, stored);
    }
}
