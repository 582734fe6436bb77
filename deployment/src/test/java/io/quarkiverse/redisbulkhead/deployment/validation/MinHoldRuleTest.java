package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class MinHoldRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(MinHoldRuleTest.class, new Class<?>[] { Jobs.class },
            "RBH031 quarkus.redis-bulkhead.\"bounded\".min-hold: minHold must not be longer than maxHold, which is PT20S, but is"
                    + " PT25S. Make it shorter, or maxHold longer",
            "RBH031 quarkus.redis-bulkhead.\"configured\".min-hold: minHold must not be longer than expire, which is PT40S, but is"
                    + " PT41S. Make it shorter, or expire longer",
            "RBH031 quarkus.redis-bulkhead.\"written\".min-hold: minHold must not be longer than expire, which is PT10S, but is"
                    + " PT11S. Make it shorter, or expire longer",
            "RBH031 quarkus.redis-bulkhead.lock.archive.min-hold: minHold must not be longer than lockTimeout, which is PT30S, but"
                    + " is PT31S. Make it shorter, or lockTimeout longer",
            "RBH031 quarkus.redis-bulkhead.lock.orders.min-hold: minHold must not be longer than lockTimeout, which is PT5S, but is"
                    + " PT6S. Make it shorter, or lockTimeout longer")
            .overrideConfigKey("quarkus.redis-bulkhead.\"bounded\".min-hold", "25s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"bounded\".max-hold", "20s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"configured\".min-hold", "41s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"configured\".expire", "40s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"written\".min-hold", "11s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"fine\".min-hold", "30s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"later\".min-hold", "1m")
            .overrideConfigKey("quarkus.redis-bulkhead.\"later\".expire", "${LEASE_OF_PRODUCTION}")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.archive.min-hold", "31s")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.orders.min-hold", "6s")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.orders.lock-timeout", "5s")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.fine.min-hold", "30s");

    @Test
    void buildFailsForMinimumHoldsLongerThanTheLease() {
        Assertions.fail();
    }

    @Singleton
    static class Jobs {

        @RedisBulkhead(name = "bounded", permits = 1)
        void bounded() {
        }

        @RedisBulkhead(name = "configured", permits = 1)
        void configured() {
        }

        @RedisBulkhead(name = "written", permits = 1, expire = "10s")
        void written() {
        }

        @RedisBulkhead(name = "fine", permits = 1)
        void fine() {
        }

        @RedisBulkhead(name = "later", permits = 1)
        void later() {
        }
    }
}
