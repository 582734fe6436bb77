package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.runtime.util.ExceptionUtil;
import io.quarkus.test.QuarkusUnitTest;

/** What is unknown at build time is checked at start-up, by the same rules; all errors are reported together. */
class StartUpMistakesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Shop.class))
            .overrideRuntimeConfigKey("app.region", "eu")
            .overrideRuntimeConfigKey("app.lease", "abc")
            .overrideRuntimeConfigKey("app.brief", "2s")
            .overrideRuntimeConfigKey("app.wait", "PT-1S")
            .overrideRuntimeConfigKey("app.own", "lock")
            .overrideRuntimeConfigKey("app.long", "x".repeat(201))
            .overrideRuntimeConfigKey("app.broken", "${app.nowhere}")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"eu-single\".on-outage", "local")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.instances", "2")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"eu-orders\".faire", "true")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"reports\".permits", "0")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.daily.permits", "0")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.rest.status", "200")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock-store.step-timeout", "10ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock-store.contention-timeout", "5ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.metrics.cluster-interval", "5ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock.\"orders\".lock-timeout", "0s")
            .assertException(failure -> {
                String message = ExceptionUtil.getRootCause(failure).getMessage().replace(Shop.class.getName(), "Shop");
                assertThat(message.lines().map(String::strip)).containsExactlyInAnyOrder(
                        "The configuration of Redis Bulkhead has 21 errors:",
                        "RBH001 Shop#tooLong: @RedisBulkhead(name = \"${app.long}\"): ${app.long} is \"" + "x".repeat(40)
                                + "...\": name must not be longer than 200 characters, but '" + "x".repeat(40)
                                + "...' has 201",
                        "RBH003 Shop#lease: @RedisBulkhead(name = \"lease\"): ${app.lease} is \"abc\": expire"
                                + " must be a duration such as 30s, 500ms or PT30S, but is 'abc'",
                        "RBH004 Shop#negative: @RedisBulkhead(name = \"negative\"): ${app.wait} is \"PT-1S\": maxWait"
                                + " must not be negative, but is PT-1S",
                        "RBH006 Shop#limitless: @RedisBulkhead(name = \"eu-limitless\"): permits is not set. Set it "
                                + "in the annotation, or set quarkus.redis-bulkhead.\"eu-limitless\".permits",
                        "RBH007 @RedisBulkhead(name = \"eu-orders\"): has different values: permits=4 at "
                                + "Shop#order (name = \"${app.region}-orders\"); permits=5 at Shop#plain. State each value in "
                                + "one place, or the same one everywhere, or use different names",
                        "RBH008 Shop#reserved: @RedisBulkhead(name = \"lock\") cannot be configured, because "
                                + "quarkus.redis-bulkhead.lock is a property of the extension. Use another name, such as "
                                + "\"lock-calls\"",
                        "RBH009 Shop#twice: @RedisBulkhead(name = \"eu-twice\") is present more than once, as "
                                + "\"${app.region}-twice\" and \"eu-twice\", so each call would take several permits of one "
                                + "bulkhead. Keep one of them, or use different names",
                        "RBH020 @RedisBulkhead(name = \"eu-keyed\"): has a key at Shop#keyed (parameter"
                                + " 'tenant'), but not at Shop#unkeyed. Provide a key everywhere, with @BulkheadKey or a"
                                + " keyResolver, or use different names",
                        "RBH023 Shop#brief: @RedisBulkhead(name = \"brief\"): expire is PT2S, shorter than three times"
                                + " quarkus.redis-bulkhead.command-timeout, which is PT1S. A lease is renewed after a third of"
                                + " its length, so one slow reply could lose the permit. Make it at least PT3S, or reduce"
                                + " command-timeout",
                        "RBH024 quarkus.redis-bulkhead.\"eu-single\".on-outage: local gives each of 2 instances"
                                + " (quarkus.redis-bulkhead.instances) its share of the permits of bulkhead 'eu-single', which"
                                + " are only 1. With one permit each, they would exceed the limit. Set"
                                + " quarkus.redis-bulkhead.\"eu-single\".local-permits if that is what you want, set fewer"
                                + " instances, or use reject",
                        "RBH026 Shop#unknown: @RedisBulkhead(name = \"${app.nowhere}-orders\"): name refers to "
                                + "app.nowhere, which is not set. Set it, or provide a default, as in ${app.nowhere:default}",
                        "RBH026 Shop#unresolved: @RedisBulkhead(name = \"unresolved\"): expire refers to app.broken, which is"
                                + " set to '${app.nowhere}', and that cannot be resolved. Set what it refers to",
                        "RBH026 Shop#unresolved: @RedisBulkhead(name = \"unresolved\"): maxWait refers to app.inner, "
                                + "which is not set. Set it, or provide a default, as in ${app.inner:default}",
                        "RBH028 quarkus.redis-bulkhead.\"eu-orders\".faire: there is no such property. Did you mean"
                                + " quarkus.redis-bulkhead.\"eu-orders\".fair?",
                        "RBH005 quarkus.redis-bulkhead.\"reports\".permits: permits must be at least 1, but is 0",
                        "RBH005 quarkus.redis-bulkhead.daily.permits: permits must be at least 1, but is 0",
                        "RBH005 quarkus.redis-bulkhead.rest.status: status must be an HTTP error status from 400 to 599,"
                                + " but is 200",
                        "RBH005 quarkus.redis-bulkhead.metrics.cluster-interval: clusterInterval must be zero or from 100"
                                + " milliseconds to one day, but is PT0.005S",
                        "RBH005 quarkus.redis-bulkhead.lock-store.step-timeout: stepTimeout must be from 50 milliseconds to one"
                                + " minute, but is PT0.01S",
                        "RBH005 quarkus.redis-bulkhead.lock-store.contention-timeout: contentionTimeout must be longer than"
                                + " stepTimeout, and at most one hour, but is PT0.005S",
                        "RBH005 quarkus.redis-bulkhead.lock.\"orders\".lock-timeout: lockTimeout must be at least one"
                                + " millisecond, but is PT0S",
                        "See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH001, #RBH003, #RBH004,"
                                + " #RBH005, #RBH006, #RBH007, #RBH008, #RBH009, #RBH020, #RBH023, #RBH024, #RBH026, #RBH028");
            });

    @Test
    void doesNotStart() {
        fail("The application must not start");
    }

    @ApplicationScoped
    public static class Shop {
        @RedisBulkhead(name = "${app.region}-orders", permits = 4)
        void order() {
        }

        @RedisBulkhead(name = "eu-orders", permits = 5)
        void plain() {
        }

        @RedisBulkhead(name = "${app.nowhere}-orders", permits = 4)
        void unknown() {
        }

        @RedisBulkhead(name = "unresolved", permits = 4, expire = "${app.broken}", maxWait = "${app.${app.inner}.wait}")
        void unresolved() {
        }

        @RedisBulkhead(name = "lease", permits = 4, expire = "${app.lease}")
        void lease() {
        }

        @RedisBulkhead(name = "brief", permits = 4, expire = "${app.brief}")
        void brief() {
        }

        @RedisBulkhead(name = "negative", permits = 4, maxWait = "${app.wait}")
        void negative() {
        }

        @RedisBulkhead(name = "${app.region}-limitless")
        void limitless() {
        }

        @RedisBulkhead(name = "${app.own}", permits = 4)
        void reserved() {
        }

        @RedisBulkhead(name = "${app.long}", permits = 4)
        void tooLong() {
        }

        @RedisBulkhead(name = "${app.region}-single", permits = 1)
        void single() {
        }

        @RedisBulkhead(name = "${app.region}-twice", permits = 4)
        @RedisBulkhead(name = "eu-twice", permits = 4)
        void twice() {
        }

        @RedisBulkhead(name = "${app.region}-keyed", permits = 2)
        void keyed(@BulkheadKey String tenant) {
        }

        @RedisBulkhead(name = "eu-keyed", permits = 2)
        void unkeyed() {
        }

        @RedisBulkhead(name = "reports", permits = 5)
        void render() {
        }

        @RedisBulkhead(name = "daily", permits = 5)
        void renderDaily() {
        }
    }
}
