package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class SameDefinitionRuleTest {

    private static final String WAY_OUT = ". Use the same values everywhere (permits may be omitted), or use "
            + "different names";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(SameDefinitionRuleTest.class,
            new Class<?>[] { Daily.class, Weekly.class },
            "RBH007 @RedisBulkhead(name = \"expire\"): has different values:"
                    + " permits=1, fair=false, expire=10s, maxWait=0s at Daily#expire;"
                    + " permits=1, fair=false, expire=11s, maxWait=0s at Weekly#expire" + WAY_OUT,
            "RBH007 @RedisBulkhead(name = \"fair\"): has different values:"
                    + " permits=1, fair=true, expire=30s, maxWait=0s at Daily#fair;"
                    + " fair=false, expire=30s, maxWait=0s at Weekly#fair" + WAY_OUT,
            "RBH007 @RedisBulkhead(name = \"maxWait\"): has different values:"
                    + " permits=1, fair=false, expire=30s, maxWait=2s at Daily#maxWait;"
                    + " fair=false, expire=30s, maxWait=0s at Weekly#maxWait" + WAY_OUT,
            "RBH007 @RedisBulkhead(name = \"permits\"): has different values:"
                    + " permits=1, fair=false, expire=30s, maxWait=0s at Daily#permits;"
                    + " permits=2, fair=false, expire=30s, maxWait=0s at Weekly#permits" + WAY_OUT);

    @Test
    void buildFailsForConflictingDefinitions() {
        Assertions.fail();
    }

    @Singleton
    static class Daily {

        @RedisBulkhead(name = "permits", permits = 1)
        void permits() {
        }

        @RedisBulkhead(name = "fair", permits = 1, fair = true)
        void fair() {
        }

        @RedisBulkhead(name = "expire", permits = 1, expire = "10s")
        void expire() {
        }

        @RedisBulkhead(name = "maxWait", permits = 1, maxWait = "2s")
        void maxWait() {
        }

        @RedisBulkhead(name = "same", permits = 1, expire = "1m", maxWait = "500ms")
        void same() {
        }
    }

    @Singleton
    static class Weekly {

        @RedisBulkhead(name = "permits", permits = 2)
        void permits() {
        }

        @RedisBulkhead(name = "fair")
        void fair() {
        }

        @RedisBulkhead(name = "expire", permits = 1, expire = "11s")
        void expire() {
        }

        @RedisBulkhead(name = "maxWait")
        void maxWait() {
        }

        @RedisBulkhead(name = "same", expire = "PT60S", maxWait = "PT0.5S")
        void sameInOtherWords() {
        }
    }
}
