package io.quarkiverse.redisbulkhead.runtime.store.lock;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStoreContract;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;

class LockPermitStoreContractTest extends PermitStoreContract {

    static TestRedis redis;

    @BeforeAll
    static void start() {
        redis = new TestRedis();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    protected StoreFixture open() {
        return LockStores.fixture(redis);
    }

    /** This store reads all permits in one step, and acquiring each takes a lock. */
    @Override
    protected int permitsOverSeveralSteps() {
        return 100;
    }

    @Override
    protected int permitsPerRacer() {
        return 100;
    }
}
