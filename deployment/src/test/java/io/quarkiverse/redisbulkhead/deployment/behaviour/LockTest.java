package io.quarkiverse.redisbulkhead.deployment.behaviour;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Locks with scripts. */
class LockTest extends LockContract {

    @RegisterExtension
    static final QuarkusUnitTest APP = application();
}
