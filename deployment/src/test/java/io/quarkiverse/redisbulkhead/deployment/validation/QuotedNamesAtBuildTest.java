package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class QuotedNamesAtBuildTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Reports.class))
            .overrideConfigKey("quarkus.redis-bulkhead.\"weekly\".permits", "6")
            .overrideConfigKey("quarkus.redis-bulkhead.weekly.max-wait", "5s")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"orders\".fair", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.orders.lock-timeout", "5s")
            .overrideConfigKey("quarkus.redis-bulkhead.daily.permits", "6")
            .overrideConfigKey("quarkus.redis-bulkhead.daily.max-wait", "5s")
            .assertException(failure -> assertThat(failure)
                    .hasMessageContaining("Found 2 mistakes")
                    .hasMessageContaining("RBH032 quarkus.redis-bulkhead.\"weekly\".permits (")
                    .hasMessageContaining(") and quarkus.redis-bulkhead.weekly.max-wait (")
                    .hasMessageContaining("RBH032 quarkus.redis-bulkhead.lock.\"orders\".fair (")
                    .hasMessageContaining(") and quarkus.redis-bulkhead.lock.orders.lock-timeout (")
                    .hasMessageContaining("Use the same spelling everywhere"));

    @Test
    void buildFailsForNamesBothQuotedAndUnquoted() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "weekly", permits = 1)
        void weekly() {
        }

        @RedisBulkhead(name = "daily", permits = 1)
        void daily() {
        }
    }
}
