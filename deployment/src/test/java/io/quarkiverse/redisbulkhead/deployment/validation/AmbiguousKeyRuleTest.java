package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class AmbiguousKeyRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(AmbiguousKeyRuleTest.class, new Class<?>[] { Pages.class },
            "RBH017 Pages#fetch: @BulkheadKey on parameter 'host' does not say which bulkhead it is for, and the method has several:"
                    + " \"pages\", \"crawler\". Name one of them, as in @BulkheadKey(\"pages\")");

    @Test
    void buildFailsForAmbiguousKeys() {
        Assertions.fail();
    }

    @Singleton
    static class Pages {

        @RedisBulkhead(name = "pages", permits = 1)
        @RedisBulkhead(name = "crawler", permits = 1)
        void fetch(@BulkheadKey String host) {
        }

        // Not reported for this name: the key without a name above may be its missing key.
        @RedisBulkhead(name = "pages", permits = 1)
        void fetchOne(@BulkheadKey String host) {
        }
    }
}
