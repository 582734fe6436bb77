package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class LeaseRuleTest {

    private static final String WAY_OUT = ", shorter than three times quarkus.redis-bulkhead.command-timeout, which "
            + "is PT2S. A lease is renewed after a third of its length, so one slow reply could lose the permit. Make it at "
            + "least PT6S, or reduce command-timeout";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(LeaseRuleTest.class, new Class<?>[] { Reports.class },
            "RBH023 Reports#again, Reports#brief: @RedisBulkhead(name = \"brief\"): expire is PT5.999S" + WAY_OUT,
            "RBH023 quarkus.redis-bulkhead.\"configured\".expire: expire is PT3S" + WAY_OUT,
            "RBH023 quarkus.redis-bulkhead.lock.lock-timeout: lock-timeout is PT4S" + WAY_OUT,
            "RBH023 quarkus.redis-bulkhead.lock.orders.lock-timeout: lock-timeout is PT1S" + WAY_OUT)
            .overrideConfigKey("quarkus.redis-bulkhead.command-timeout", "2s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"configured\".expire", "3s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"mended\".expire", "6s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"off\".enabled", "false")
            .overrideConfigKey("quarkus.redis-bulkhead.\"later\".expire", "${LEASE_OF_PRODUCTION}")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.lock-timeout", "4s")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.orders.lock-timeout", "1s");

    @Test
    void buildFailsForLeasesTooShortForRedis() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "brief", permits = 1, expire = "5999ms")
        void brief() {
        }

        @RedisBulkhead(name = "brief", expire = "5999ms")
        void again() {
        }

        @RedisBulkhead(name = "long-enough", permits = 1, expire = "6s")
        void longEnough() {
        }

        @RedisBulkhead(name = "configured", permits = 1)
        void configured() {
        }

        @RedisBulkhead(name = "mended", permits = 1, expire = "1s")
        void mended() {
        }

        @RedisBulkhead(name = "off", permits = 1, expire = "1s")
        void off() {
        }

        @RedisBulkhead(name = "later", permits = 1, expire = "1s")
        void later() {
        }

        @RedisBulkhead(name = "expression", permits = 1, expire = "${lease.of.production}")
        void expression() {
        }
    }
}
