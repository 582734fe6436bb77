package io.quarkiverse.redisbulkhead.runtime.store.lock;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStoreModelTest;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;

class LockPermitStoreModelTest extends PermitStoreModelTest {

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

    /** Each step takes several round trips. */
    @Override
    protected int histories() {
        return super.histories() / 2;
    }
}
