package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class WeightRuleTest {

    private static final String METHOD = "Reports#";
    private static final String ADVICE = ". No call would ever get a permit. Lower the weight, or raise the permits";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(WeightRuleTest.class, new Class<?>[] { Reports.class },
            "RBH030 " + METHOD + "above: @RedisBulkhead(name = \"above\"): weight must not be more than the permits of the"
                    + " bulkhead, which are 2, but is 3" + ADVICE,
            "RBH030 " + METHOD + "lowered: @RedisBulkhead(name = \"lowered\"): weight must not be more than the permits of the"
                    + " bulkhead, which are 4, but is 5" + ADVICE,
            "RBH030 " + METHOD + "none: @RedisBulkhead(name = \"none\"): weight must be at least 1, but is 0",
            "RBH030 quarkus.redis-bulkhead.\"raised\".weight: weight must not be more than the permits of the bulkhead, which"
                    + " are 5, but is 6" + ADVICE)
            .overrideConfigKey("quarkus.redis-bulkhead.\"lowered\".permits", "4")
            .overrideConfigKey("quarkus.redis-bulkhead.\"raised\".weight", "6")
            .overrideConfigKey("quarkus.redis-bulkhead.\"corrected\".weight", "2")
            .overrideConfigKey("quarkus.redis-bulkhead.\"later\".permits", "${PERMITS_OF_PRODUCTION}");

    @Test
    void buildFailsForWeightsAboveTheLimit() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "above", permits = 2, weight = 3)
        void above() {
        }

        @RedisBulkhead(name = "none", permits = 2, weight = 0)
        void none() {
        }

        @RedisBulkhead(name = "most", permits = 5_000, weight = 5_000)
        void most() {
        }

        @RedisBulkhead(name = "lowered", permits = 9, weight = 5)
        void lowered() {
        }

        @RedisBulkhead(name = "raised", permits = 5)
        void raised() {
        }

        @RedisBulkhead(name = "corrected", permits = 2, weight = 3)
        void corrected() {
        }

        @RedisBulkhead(name = "later", permits = 1, weight = 3)
        void later() {
        }

        @RedisBulkhead(name = "fine", permits = 3, weight = 3)
        void fine() {
        }

        @RedisBulkhead(name = "fine")
        void lighter() {
        }
    }
}
