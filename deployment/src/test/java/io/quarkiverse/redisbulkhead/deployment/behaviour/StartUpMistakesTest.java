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

/**
 * What is unknown at build time is checked at start-up, by the same rules; all errors are reported together.
 * {@code ReportedMistakesTest} has all rules. So is whether there is a Redis: {@code quarkus.redis.hosts} is not set.
 */
class StartUpMistakesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Shop.class))
            .overrideConfigKey("quarkus.devservices.enabled", "false")
            // Fixed at build time, so the message about quarkus.redis.hosts must not change.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.redis-client", "elsewhere")
            .overrideRuntimeConfigKey("app.region", "eu")
            .overrideRuntimeConfigKey("app.lease", "abc")
            .overrideRuntimeConfigKey("app.long", "x".repeat(201))
            .overrideRuntimeConfigKey("app.broken", "${app.nowhere}")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"eu-orders\".faire", "true")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"reports\".permits", "0")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.rest.status", "200")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock-store.contention-timeout", "5ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.lock.\"orders\".lock-timeout", "0s")
            .assertException(failure -> {
                String message = ExceptionUtil.getRootCause(failure).getMessage().replace(Shop.class.getName(), "Shop");
                assertThat(message.lines().map(line -> line.replaceFirst("^  \\d+\\. ", ""))).containsExactlyInAnyOrder(
                        "Found 14 mistakes in the use or configuration of @RedisBulkhead:",
                        "RBH001 Shop#tooLong: @RedisBulkhead(name = \"${app.long}\"): ${app.long} is \"" + "x".repeat(40)
                                + "...\": name must not be longer than 200 characters, but '" + "x".repeat(40)
                                + "...' has 201",
                        "RBH003 Shop#lease: @RedisBulkhead(name = \"lease\"): ${app.lease} is \"abc\": expire"
                                + " must be a duration such as 30s, 500ms or PT30S, but is 'abc'",
                        "RBH006 Shop#limitless: @RedisBulkhead(name = \"eu-limitless\"): permits is not set. Set it "
                                + "in the annotation, or set quarkus.redis-bulkhead.\"eu-limitless\".permits",
                        "RBH007 @RedisBulkhead(name = \"eu-orders\"): has different values: permits=4 at "
                                + "Shop#order (name = \"${app.region}-orders\"); permits=5 at Shop#plain. State each value in "
                                + "one place, or the same one everywhere, or use different names",
                        "RBH020 @RedisBulkhead(name = \"eu-keyed\"): has a key at Shop#keyed (parameter"
                                + " 'tenant'), but not at Shop#unkeyed. Provide a key everywhere, with @BulkheadKey or a"
                                + " keyResolver, or use different names",
                        "RBH026 Shop#unknown: @RedisBulkhead(name = \"${app.nowhere}-orders\"): name refers to "
                                + "app.nowhere, which is not set. Set it, or provide a default, as in ${app.nowhere:default}",
                        "RBH026 Shop#unresolved: @RedisBulkhead(name = \"unresolved\"): expire refers to app.broken, which is"
                                + " set to '${app.nowhere}', and that cannot be resolved. Set what it refers to",
                        "RBH026 Shop#unresolved: @RedisBulkhead(name = \"unresolved\"): maxWait refers to app.inner, "
                                + "which is not set. Set it, or provide a default, as in ${app.inner:default}",
                        "RBH027 quarkus.redis.hosts is not set, but the bulkheads eu-keyed, eu-orders, lease, reports, unresolved"
                                + " need that Redis. Set it, switch the bulkheads off by quarkus.redis-bulkhead.enabled=false,"
                                + " or keep the permits in this process by quarkus.redis-bulkhead.store=local when the"
                                + " application is built",
                        "RBH028 quarkus.redis-bulkhead.\"eu-orders\".faire: there is no such property. Did you mean"
                                + " quarkus.redis-bulkhead.\"eu-orders\".fair?",
                        "RBH005 quarkus.redis-bulkhead.\"reports\".permits: permits must be at least 1, but is 0",
                        "RBH005 quarkus.redis-bulkhead.rest.status: status must be an HTTP error status from 400 to 599,"
                                + " but is 200",
                        "RBH005 quarkus.redis-bulkhead.lock-store.contention-timeout: contentionTimeout must be longer than"
                                + " stepTimeout, and at most one hour, but is PT0.005S",
                        "RBH005 quarkus.redis-bulkhead.lock.\"orders\".lock-timeout: lockTimeout must be at least one"
                                + " millisecond, but is PT0S",
                        "See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH001, #RBH003, #RBH005,"
                                + " #RBH006, #RBH007, #RBH020, #RBH026, #RBH027, #RBH028");
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

        @RedisBulkhead(name = "${app.long}", permits = 4)
        void tooLong() {
        }

        @RedisBulkhead(name = "lease", permits = 4, expire = "${app.lease}")
        void lease() {
        }

        @RedisBulkhead(name = "${app.region}-limitless")
        void limitless() {
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
    }
}
