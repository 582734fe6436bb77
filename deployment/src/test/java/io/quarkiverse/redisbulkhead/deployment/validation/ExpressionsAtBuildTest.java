package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

/** The build checks expressions whose properties it knows, and leaves the others to start-up. */
class ExpressionsAtBuildTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(ExpressionsAtBuildTest.class, new Class<?>[] { Shop.class },
            "RBH020 @RedisBulkhead(name = \"eu-keyed\"): has a key at Shop#keyed (parameter 'tenant'), but not at "
                    + "Shop#unkeyed. Provide a key everywhere, with @BulkheadKey or a keyResolver, or use different names",
            "RBH007 @RedisBulkhead(name = \"eu-orders\"): has different values: permits=1, fair=false, expire=30s, "
                    + "maxWait=2s at Shop#buy (name = \"${app.region}-orders\"); permits=1, fair=false, expire=30s, "
                    + "maxWait=1s at Shop#cancel (name = \"${app.zone:eu}-orders\"); permits=1, fair=false, expire=30s, "
                    + "maxWait=0s at Shop#order. Use the same values everywhere (permits may be omitted), or use different "
                    + "names",
            "RBH004 Shop#byDefault: @RedisBulkhead(name = \"by-default\"): maxWait = \"${not.set:a while}\", which is"
                    + " 'a while' by its default: must be a duration such as 2s, 500ms or PT2S, but is 'a while'",
            "RBH001 Shop#ofALock: @RedisBulkhead: name = \"${app.of.a.lock}\", which is 'lock:orders' by "
                    + "app.of.a.lock: must not begin with 'lock:', which is reserved for locks, but is 'lock:orders'. Use "
                    + "another name, or RedisBulkheads.lock(\"orders\") for a lock",
            "RBH008 Shop#reserved: @RedisBulkhead(name = \"rest\") cannot be configured, because "
                    + "quarkus.redis-bulkhead.rest is a property of the extension. Use another name, such as \"rest-calls\"",
            "RBH003 Shop#soon: @RedisBulkhead(name = \"soon\"): expire = \"${orders.lease}\", which is 'abc' by orders.lease:"
                    + " must be a duration such as 30s, 5m or PT30S, but is 'abc'",
            "RBH009 Shop#twice: @RedisBulkhead(name = \"eu-twice\") is present more than once, as "
                    + "\"${app.region}-twice\" and \"eu-twice\", so each call would take several permits of one bulkhead. "
                    + "Keep one of them, or use different names",
            "RBH005 quarkus.redis-bulkhead.\"eu-configured\".permits: permits must be at least 1, but is 0")
            .overrideConfigKey("app.region", "eu")
            .overrideConfigKey("app.of.a.lock", "lock:orders")
            .overrideConfigKey("app.own", "rest")
            .overrideConfigKey("app.broken", "${app.set.in.production}")
            .overrideConfigKey("orders.lease", "abc")
            .overrideConfigKey("orders.wait", "2s")
            .overrideConfigKey("quarkus.redis-bulkhead.\"eu-configured\".permits", "0");

    @Test
    void checksExpressionsWithKnownProperties() {
        Assertions.fail();
    }

    @Singleton
    static class Shop {

        @RedisBulkhead(name = "eu-orders", permits = 1)
        void order() {
        }

        @RedisBulkhead(name = "${app.region}-orders", permits = 1, maxWait = "${orders.wait}")
        void buy() {
        }

        @RedisBulkhead(name = "${app.zone:eu}-orders", permits = 1, maxWait = "1s")
        void cancel() {
        }

        @RedisBulkhead(name = "by-default", permits = 1, maxWait = "${not.set:a while}")
        void byDefault() {
        }

        @RedisBulkhead(name = "${app.region}-limitless")
        void limitless() {
        }

        @RedisBulkhead(name = "${app.region}-configured")
        void configured() {
        }

        @RedisBulkhead(name = "${app.of.a.lock}", permits = 1)
        void ofALock() {
        }

        @RedisBulkhead(name = "${app.own}", permits = 1)
        void reserved() {
        }

        @RedisBulkhead(name = "soon", permits = 1, expire = "${orders.lease}")
        void soon() {
        }

        @RedisBulkhead(name = "${app.region}-twice", permits = 1)
        @RedisBulkhead(name = "eu-twice", permits = 1)
        void twice() {
        }

        @RedisBulkhead(name = "${app.set.in.production}", expire = "${app.set.in.production}", maxWait = "${app.broken}")
        void knownLater() {
        }

        @RedisBulkhead(name = "${app.broken}", permits = 3)
        void alsoKnownLater() {
        }

        @RedisBulkhead(name = "${app.region}-keyed", permits = 1)
        void keyed(@BulkheadKey String tenant) {
        }

        @RedisBulkhead(name = "eu-keyed", permits = 1)
        void unkeyed() {
        }
    }
}
