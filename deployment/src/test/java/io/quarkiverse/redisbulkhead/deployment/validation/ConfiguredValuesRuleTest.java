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
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".enabled: enabled must be true or false, but is 'sometimes'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".expire: expire must be a duration such as 30s, 5m or PT30S, but is 'soon'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".fair: fair must be true or false, but is 'perhaps'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".keep-idle: keepIdle must be a duration such as 1s, 500ms or PT1S,"
                    + " but is 'a moment'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".local-permits: localPermits must be at least 1, but is 0",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".max-hold: maxHold must be a duration such as 10m, 2h or PT10M, but is 'long'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".max-wait: maxWait must be a duration such as 2s, 500ms or PT2S,"
                    + " but is 'a while'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".max-waiters: maxWaiters must be at least 0, but is -1",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".min-hold: minHold must be a duration such as 10s, 500ms or PT10S,"
                    + " but is 'short'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".on-lost: onLost must be report or interrupt, but is 'cry'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".on-outage: onOutage must be reject, allow or local, but is 'wait'",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".permits: permits must be at least 1, but is 0",
            "RBH005 quarkus.redis-bulkhead.\"of.sales\".rest.retry-after: retryAfter must be none, or a duration from one second to"
                    + " 365 days such as 5s, 2m or PT5S, but is 'never'",
            "RBH005 quarkus.redis-bulkhead.instances: instances must be at least 1, but is 0",
            "RBH005 quarkus.redis-bulkhead.keep-idle: keepIdle must not be longer than 365 days, but is PT8784H",
            "RBH005 quarkus.redis-bulkhead.key-prefix: keyPrefix must not be blank and must not contain braces, which mark the hash tag"
                    + " of Redis Cluster, but is 'a{b}'",
            "RBH005 quarkus.redis-bulkhead.lock-store.contention-timeout: contentionTimeout must be a duration such as 3s, 500ms or"
                    + " PT3S, but is 'long'",
            "RBH005 quarkus.redis-bulkhead.lock-store.step-timeout: stepTimeout must be from 50 milliseconds to one minute, but is"
                    + " PT0.01S",
            "RBH005 quarkus.redis-bulkhead.lock.\"of.orders\".acquire-timeout: acquireTimeout must not be negative, but is PT-1S",
            "RBH005 quarkus.redis-bulkhead.lock.\"of.orders\".fair: fair must be true or false, but is 'perhaps'",
            "RBH005 quarkus.redis-bulkhead.lock.\"of.orders\".keep-idle: keepIdle must not be negative, but is PT-1S",
            "RBH005 quarkus.redis-bulkhead.lock.\"of.orders\".lock-timeout: lockTimeout must be at least one millisecond, but is PT0S",
            "RBH005 quarkus.redis-bulkhead.lock.\"of.orders\".min-hold: minHold must not be negative, but is PT-1S",
            "RBH005 quarkus.redis-bulkhead.lock.\"twice\".fair: fair must be true or false, but is 'possibly'",
            "RBH005 quarkus.redis-bulkhead.lock.acquire-timeout: acquireTimeout must be a duration such as 10s, 500ms or PT10S,"
                    + " but is 'a while'",
            "RBH005 quarkus.redis-bulkhead.lock.lock-timeout: lockTimeout must not be longer than 365 days, but is PT8784H",
            "RBH005 quarkus.redis-bulkhead.max-blocked-threads: maxBlockedThreads must be a whole number up to 2147483647,"
                    + " but is 'half'",
            "RBH005 quarkus.redis-bulkhead.metrics.cluster-interval: clusterInterval must be a duration such as 10s, 500ms or"
                    + " PT10S, but is 'soon'",
            "RBH005 quarkus.redis-bulkhead.metrics.key-tag: keyTag must be true or false, but is 'perhaps'",
            "RBH005 quarkus.redis-bulkhead.metrics.names: name must not be blank, but is ''",
            "RBH005 quarkus.redis-bulkhead.on-outage: onOutage must be reject, allow or local, but is 'panic'",
            "RBH005 quarkus.redis-bulkhead.rest.expose-name: exposeName must be true or false, but is 'perhaps'",
            "RBH005 quarkus.redis-bulkhead.rest.retry-after: retryAfter must be none, or a duration from one second to 365 days such"
                    + " as 5s, 2m or PT5S, but is '10ms'",
            "RBH005 quarkus.redis-bulkhead.rest.status: status must be an HTTP error status from 400 to 599, but is 200",
            "RBH005 quarkus.redis-bulkhead.tracing.key-attribute: keyAttribute must be true or false, but is 'perhaps'",
            "RBH005 quarkus.redis-bulkhead.weekly.expire: expire must be at least one millisecond, but is PT0S",
            "RBH005 quarkus.redis-bulkhead.weekly.local-permits: localPermits must be a whole number up to 2147483647,"
                    + " but is 'some'",
            "RBH005 quarkus.redis-bulkhead.weekly.max-hold: maxHold must be at least one millisecond, but is PT0S",
            "RBH005 quarkus.redis-bulkhead.weekly.max-wait: maxWait must not be negative, but is PT-1S",
            "RBH005 quarkus.redis-bulkhead.weekly.permits: permits must be a whole number up to 2147483647, but is 'many'")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".enabled", "sometimes")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".permits", "0")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".rest.retry-after", "never")
            .overrideConfigKey("quarkus.redis-bulkhead.rest.retry-after", "10ms")
            .overrideConfigKey("quarkus.redis-bulkhead.rest.expose-name", "perhaps")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".expire", "soon")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".fair", "perhaps")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".max-wait", "a while")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".max-hold", "long")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".min-hold", "short")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"of.orders\".min-hold", "-1s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".keep-idle", "a moment")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"of.orders\".keep-idle", "-1s")
            .overrideConfigKey("quarkus.redis-bulkhead.keep-idle", "366d")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".on-lost", "cry")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".on-outage", "wait")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".local-permits", "0")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".max-waiters", "-1")
            .overrideConfigKey("quarkus.redis-bulkhead.max-blocked-threads", "half")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.acquire-timeout", "a while")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.lock-timeout", "366d")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"of.orders\".acquire-timeout", "PT-1S")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"of.orders\".lock-timeout", "0s")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"of.orders\".fair", "perhaps")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.fine.acquire-timeout", "0s")
            .overrideConfigKey("quarkus.redis-bulkhead.on-outage", "panic")
            .overrideConfigKey("quarkus.redis-bulkhead.instances", "0")
            .overrideConfigKey("quarkus.redis-bulkhead.key-prefix", "a{b}")
            .overrideConfigKey("quarkus.redis-bulkhead.rest.status", "200")
            .overrideConfigKey("quarkus.redis-bulkhead.lock-store.step-timeout", "10ms")
            .overrideConfigKey("quarkus.redis-bulkhead.lock-store.contention-timeout", "long")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.cluster-interval", "soon")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.key-tag", "perhaps")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.names", "fine, , lock:")
            .overrideConfigKey("quarkus.redis-bulkhead.tracing.key-attribute", "perhaps")
            .overrideConfigKey("quarkus.redis-bulkhead.weekly.permits", "many")
            .overrideConfigKey("quarkus.redis-bulkhead.weekly.expire", "0s")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"twice\".fair", "possibly")
            .overrideConfigKey("quarkus.redis-bulkhead.weekly.max-wait", "PT-1S")
            .overrideConfigKey("quarkus.redis-bulkhead.weekly.max-hold", "0s")
            .overrideConfigKey("quarkus.redis-bulkhead.weekly.local-permits", "some")
            .overrideConfigKey("quarkus.redis-bulkhead.fine.max-wait", "0")
            .overrideConfigKey("quarkus.redis-bulkhead.fine.max-hold", "2h")
            .overrideConfigKey("quarkus.redis-bulkhead.fine.on-lost", "INTERRUPT")
            .overrideConfigKey("quarkus.redis-bulkhead.fine.on-outage", "local")
            .overrideConfigKey("quarkus.redis-bulkhead.fine.local-permits", "2")
            .overrideConfigKey("quarkus.redis-bulkhead.fine.max-waiters", "0")
            .overrideConfigKey("quarkus.redis-bulkhead.known-later.permits", "${PERMITS_FROM_THE_ENVIRONMENT_OF_PRODUCTION}")
            .overrideConfigKey("quarkus.redis-bulkhead.known-later.on-lost", "${ON_LOST_FROM_THE_ENVIRONMENT_OF_PRODUCTION}");

    @Test
    void buildFailsForInvalidConfiguredValues() {
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

        @RedisBulkhead(name = "fine", permits = 4)
        void fine() {
        }

        @RedisBulkhead(name = "known-later")
        void knownLater() {
        }
    }
}
