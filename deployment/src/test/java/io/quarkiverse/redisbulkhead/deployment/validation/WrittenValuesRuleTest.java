package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class WrittenValuesRuleTest {

    private static final String TEN = "0123456789";
    private static final String FIFTY = TEN + TEN + TEN + TEN + TEN;
    private static final String TOO_LONG = FIFTY + FIFTY + FIFTY + FIFTY + "0";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(WrittenValuesRuleTest.class, new Class<?>[] { Reports.class },
            "RBH001 Reports#blankName: @RedisBulkhead: name must not be blank, but is ' '",
            "RBH003 Reports#expireForever: @RedisBulkhead(name = \"d\"): expire must not be longer than 365 days, but is PT8784H",
            "RBH003 Reports#expireNegative: @RedisBulkhead(name = \"f\"): expire must be at least one millisecond, but is PT-1S",
            "RBH003 Reports#expireOverflow: @RedisBulkhead(name = \"g\"): expire must be a duration such as 30s, 5m or PT30S,"
                    + " but is '99999999999999999999d'",
            "RBH003 Reports#expireUnreadable: @RedisBulkhead(name = \"c\"): expire must be a duration such as 30s, 5m or PT30S,"
                    + " but is 'soon'",
            "RBH003 Reports#expireZero: @RedisBulkhead(name = \"e\"): expire must be at least one millisecond, but is PT0S",
            "RBH001 Reports#longName: @RedisBulkhead: name must not be longer than 200 characters, but '"
                    + FIFTY.substring(0, 40)
                    + "...' has 201",
            "RBH004 Reports#maxWaitEmpty: @RedisBulkhead(name = \"k\"): maxWait must be a duration such as 2s, 500ms or PT2S, but is ''",
            "RBH004 Reports#maxWaitForever: @RedisBulkhead(name = \"i\"): maxWait must not be longer than 365 days, but is PT8784H",
            "RBH004 Reports#maxWaitNegative: @RedisBulkhead(name = \"j\"): maxWait must not be negative, but is PT-1S",
            "RBH004 Reports#maxWaitUnreadable: @RedisBulkhead(name = \"h\"): maxWait must be a duration such as 2s, 500ms or PT2S,"
                    + " but is 'a while'",
            "RBH002 Reports#negativePermits: @RedisBulkhead(name = \"b\"): permits must be at least 1, but is -3",
            "RBH002 Reports#noPermits: @RedisBulkhead(name = \"a\"): permits must be at least 1, but is 0");

    @Test
    void buildFailsForInvalidAnnotationValues() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = " ", permits = 1)
        void blankName() {
        }

        @RedisBulkhead(name = TOO_LONG, permits = 1)
        void longName() {
        }

        @RedisBulkhead(name = "a", permits = 0)
        void noPermits() {
        }

        @RedisBulkhead(name = "b", permits = -3)
        void negativePermits() {
        }

        @RedisBulkhead(name = "c", permits = 1, expire = "soon")
        void expireUnreadable() {
        }

        @RedisBulkhead(name = "d", permits = 1, expire = "366d")
        void expireForever() {
        }

        @RedisBulkhead(name = "e", permits = 1, expire = "0s")
        void expireZero() {
        }

        @RedisBulkhead(name = "f", permits = 1, expire = "PT-1S")
        void expireNegative() {
        }

        @RedisBulkhead(name = "g", permits = 1, expire = "99999999999999999999d")
        void expireOverflow() {
        }

        @RedisBulkhead(name = "h", permits = 1, maxWait = "a while")
        void maxWaitUnreadable() {
        }

        @RedisBulkhead(name = "i", permits = 1, maxWait = "366d")
        void maxWaitForever() {
        }

        @RedisBulkhead(name = "j", permits = 1, maxWait = "PT-1S")
        void maxWaitNegative() {
        }

        @RedisBulkhead(name = "k", permits = 1, maxWait = "")
        void maxWaitEmpty() {
        }

        @RedisBulkhead(name = "l", permits = 1, maxWait = "0s")
        void noWait() {
        }

        @RedisBulkhead(name = "m", permits = 1, maxWait = "0")
        void noWaitWithoutUnit() {
        }

        @RedisBulkhead(name = "n", permits = 1, maxWait = "PT0S")
        void noWaitInIso() {
        }

        @RedisBulkhead(name = "o", permits = 1, maxWait = "365d")
        void longestWait() {
        }
    }
}
