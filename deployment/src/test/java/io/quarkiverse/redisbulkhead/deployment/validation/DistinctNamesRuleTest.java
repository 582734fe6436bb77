package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class DistinctNamesRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(DistinctNamesRuleTest.class, new Class<?>[] { Reports.class },
            "RBH009 Reports#render: @RedisBulkhead(name = \"database\") is present more than once, so each call would "
                    + "take several permits of one bulkhead. Keep one of them, or use different names");

    @Test
    void buildFailsForRepeatedBulkheadsOnOneMethod() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "database", permits = 2)
        @RedisBulkhead(name = "reports", permits = 2)
        @RedisBulkhead(name = "database", permits = 2)
        void render() {
        }
    }
}
