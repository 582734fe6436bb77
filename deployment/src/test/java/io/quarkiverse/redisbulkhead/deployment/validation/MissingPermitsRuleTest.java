package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class MissingPermitsRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(MissingPermitsRuleTest.class, new Class<?>[] { Reports.class },
            "RBH006 Reports#daily, Reports#weekly: @RedisBulkhead(name = \"a \"quoted\" one\"): permits is not set. "
                    + "Set it in the annotation, or set quarkus.redis-bulkhead.\"a \\\"quoted\\\" one\".permits")
            .overrideConfigKey("quarkus.redis-bulkhead.\"configured.quoted\".permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.configured.permits", "3");

    @Test
    void buildFailsWhenPermitsAreMissing() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "a \"quoted\" one")
        void daily() {
        }

        @RedisBulkhead(name = "a \"quoted\" one")
        void weekly() {
        }

        @RedisBulkhead(name = "configured")
        void configured() {
        }

        @RedisBulkhead(name = "configured.quoted")
        void configuredInQuotes() {
        }

        @RedisBulkhead(name = "elsewhere")
        void declaredElsewhere() {
        }

        @RedisBulkhead(name = "elsewhere", permits = 2)
        void stated() {
        }
    }
}
