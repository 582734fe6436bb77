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
            "Client#call: @RedisBulkhead(name = \"rest\") could not be configured, because quarkus.redis-bulkhead.rest"
                    + " is the extension's own. Use another name, such as \"rest-calls\"");

    @Test
    void theNameOfAGlobalPropertyFailsTheBuild() {
        Assertions.fail();
    }

    @Singleton
    static class Client {

        @RedisBulkhead(name = "rest", permits = 2)
        void call() {
        }

        @RedisBulkhead(name = "rest-calls", permits = 2)
        void other() {
        }
    }
}
