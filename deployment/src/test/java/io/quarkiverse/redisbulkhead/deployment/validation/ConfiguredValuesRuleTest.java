package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class ConfiguredValuesRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(ConfiguredValuesRuleTest.class,
            new Class<?>[] { Reports.class },
            "quarkus.redis-bulkhead.\"of.sales\".expire: expire must be a duration such as 30s, 5m or PT30S, but is 'soon'",
            "quarkus.redis-bulkhead.\"of.sales\".fair: fair must be true or false, but is 'perhaps'",
            "quarkus.redis-bulkhead.\"of.sales\".permits: permits must be at least 1, but is 0",
            "quarkus.redis-bulkhead.weekly.expire: expire must be at least one millisecond, but is PT0S",
            "quarkus.redis-bulkhead.weekly.permits: permits must be a whole number from 1 to 2147483647, but is 'many'")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".permits", "0")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".expire", "soon")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".fair", "perhaps")
            .overrideConfigKey("quarkus.redis-bulkhead.weekly.permits", "many")
            .overrideConfigKey("quarkus.redis-bulkhead.weekly.expire", "0s")
            .overrideConfigKey("quarkus.redis-bulkhead.known-later.permits", "${PERMITS_FROM_THE_ENVIRONMENT_OF_PRODUCTION}");

    @Test
    void badValuesInTheConfigurationFailTheBuild() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "of.sales", permits = 1)
        void sales() {
        }

        @RedisBulkhead(name = "weekly")
        void weekly() {
        }

        @RedisBulkhead(name = "known-later")
        void knownLater() {
        }
    }
}
