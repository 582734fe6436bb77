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

    /** This store looks at all of them in one step, and each costs it what a lock costs. */
    @Override
    protected int permitsToBeLookedAt() {
        return 100;
    }

    @Override
    protected int permitsPerRacer() {
        return 100;
    }
}
