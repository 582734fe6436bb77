package io.quarkiverse.redisbulkhead.runtime.store.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStoreContract;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;

class ScriptPermitStoreContractTest extends PermitStoreContract {

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
        return ScriptStores.fixture(redis);
    }
}
