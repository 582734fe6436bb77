package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class LocalLimitRuleTest {

    private static final String SHARE = "local gives each of 4 instances (quarkus.redis-bulkhead.instances) its share of the"
            + " permits of bulkhead '";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(LocalLimitRuleTest.class, new Class<?>[] { Reports.class },
            "RBH024 quarkus.redis-bulkhead.\"greater\".local-permits: localPermits must not be more than the permits of the"
                    + " bulkhead, which are 5, but is 6",
            "RBH024 quarkus.redis-bulkhead.\"own\".on-outage: " + SHARE + "own', which are only 3. With one permit each,"
                    + " they would exceed the limit. Set quarkus.redis-bulkhead.\"own\".local-permits if that is what you want,"
                    + " set fewer instances, or use reject",
            "RBH024 quarkus.redis-bulkhead.on-outage: " + SHARE + "few', which are only 2. With one permit each, they"
                    + " would exceed the limit. Set quarkus.redis-bulkhead.\"few\".local-permits if that is what you want, set fewer"
                    + " instances, or use reject")
            .overrideConfigKey("quarkus.redis-bulkhead.on-outage", "local")
            .overrideConfigKey("quarkus.redis-bulkhead.instances", "4")
            .overrideConfigKey("quarkus.redis-bulkhead.\"own\".on-outage", "LOCAL")
            .overrideConfigKey("quarkus.redis-bulkhead.\"own\".permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.\"greater\".local-permits", "6")
            .overrideConfigKey("quarkus.redis-bulkhead.\"stated\".local-permits", "1")
            .overrideConfigKey("quarkus.redis-bulkhead.\"rejecting\".on-outage", "reject")
            .overrideConfigKey("quarkus.redis-bulkhead.\"rejecting\".local-permits", "6")
            .overrideConfigKey("quarkus.redis-bulkhead.\"off\".enabled", "No")
            .overrideConfigKey("quarkus.redis-bulkhead.\"later\".permits", "${PERMITS_OF_PRODUCTION}");

    @Test
    void buildFailsForUselessLocalLimits() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "few", permits = 2)
        void few() {
        }

        @RedisBulkhead(name = "enough", permits = 4)
        void enough() {
        }

        @RedisBulkhead(name = "own", permits = 9)
        void own() {
        }

        @RedisBulkhead(name = "greater", permits = 5)
        void greater() {
        }

        @RedisBulkhead(name = "stated", permits = 2)
        void stated() {
        }

        @RedisBulkhead(name = "rejecting", permits = 2)
        void rejecting() {
        }

        @RedisBulkhead(name = "off", permits = 2)
        void off() {
        }

        @RedisBulkhead(name = "later", permits = 1)
        void later() {
        }
    }
}
