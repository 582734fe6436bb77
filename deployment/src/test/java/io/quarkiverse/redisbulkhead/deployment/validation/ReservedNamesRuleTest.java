package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class ReservedNamesRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(ReservedNamesRuleTest.class, new Class<?>[] { Client.class },
            "RBH001 Client#behindALock: @RedisBulkhead: name must not begin with 'lock:', which is reserved for "
                    + "locks, but is 'lock:orders'. Use another name, or RedisBulkheads.lock(\"orders\") for a lock",
            "RBH008 Client#call: @RedisBulkhead(name = \"rest\") cannot be configured, because "
                    + "quarkus.redis-bulkhead.rest is a property of the extension. Use another name, such as \"rest-calls\"",
            "RBH008 Client#lock: @RedisBulkhead(name = \"lock\") cannot be configured, because "
                    + "quarkus.redis-bulkhead.lock is a property of the extension. Use another name, such as \"lock-calls\"");

    @Test
    void buildFailsForReservedNames() {
        Assertions.fail();
    }

    @Singleton
    static class Client {

        @RedisBulkhead(name = "rest", permits = 2)
        void call() {
        }

        @RedisBulkhead(name = "lock", permits = 2)
        void lock() {
        }

        @RedisBulkhead(name = "lock:orders", permits = 2)
        void behindALock() {
        }

        @RedisBulkhead(name = "lockers", permits = 2)
        void beginsAlmostAsALock() {
        }

        @RedisBulkhead(name = "rest-calls", permits = 2)
        void other() {
        }
    }
}
