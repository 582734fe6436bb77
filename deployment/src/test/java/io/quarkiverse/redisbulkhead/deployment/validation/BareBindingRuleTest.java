package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBinding;
import io.quarkus.test.QuarkusUnitTest;

class BareBindingRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(BareBindingRuleTest.class, new Class<?>[] { Reports.class },
            "RBH013 Reports#render: @RedisBulkheadBinding names no bulkhead and is internal. Use @RedisBulkhead");

    @Test
    void buildFailsForTheBareBinding() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkheadBinding
        void render() {
        }
    }
}
