package io.quarkiverse.redisbulkhead.deployment.behaviour;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Locks without scripts. */
class LockOnLockStoreTest extends LockContract {

    @RegisterExtension
    static final QuarkusUnitTest APP = application()
            .overrideConfigKey("quarkus.redis-bulkhead.store", "lock");
}
