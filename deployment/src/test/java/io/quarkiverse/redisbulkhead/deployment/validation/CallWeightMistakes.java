package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.BulkheadWeight;
import io.quarkiverse.redisbulkhead.RedisBulkhead;

final class CallWeightMistakes {

    private static final String METHOD = "RBH038 Batches#";

    static final Mistakes ALL = new Mistakes(CallWeightMistakes.class, new Class<?>[] { Batches.class },
            METHOD + "ambiguous: @BulkheadWeight on parameter 'size' does not name a bulkhead of this method. Name one of "
                    + "\"one\", \"another\", as in @BulkheadWeight(\"one\")",
            METHOD + "fixed: @BulkheadWeight on parameter 'size' is beside weight = 2 of @RedisBulkhead(name = \"batches\")."
                    + " Keep one of them",
            METHOD + "idle: @BulkheadWeight on parameter 'size' has no effect, because no bulkhead guards this method. Put "
                    + "@RedisBulkhead on the method or on its class, which must be a bean, or remove @BulkheadWeight",
            METHOD + "text: @BulkheadWeight on parameter 'size' must be an int, long or short, or one of their wrappers, but is"
                    + " java.lang.String",
            METHOD + "twice: @BulkheadWeight on parameter 'two' is the second weight of this method. Keep one of them",
            METHOD + "unknown: @BulkheadWeight(\"batch\") on parameter 'size' does not name a bulkhead of this method. Name one"
                    + " of \"batches\", as in @BulkheadWeight(\"batches\")");

    @Singleton
    static class Batches {
        @RedisBulkhead(name = "batches", permits = 9)
        void text(@BulkheadWeight String size) {
        }

        @RedisBulkhead(name = "batches", permits = 9)
        void twice(@BulkheadWeight int one, @BulkheadWeight int two) {
        }

        @RedisBulkhead(name = "batches", permits = 9, weight = 2)
        void fixed(@BulkheadWeight int size) {
        }

        @RedisBulkhead(name = "batches", permits = 9)
        void unknown(@BulkheadWeight("batch") int size) {
        }

        @RedisBulkhead(name = "one", permits = 9)
        @RedisBulkhead(name = "another", permits = 9)
        void ambiguous(@BulkheadWeight int size) {
        }

        void idle(@BulkheadWeight int size) {
        }

        @RedisBulkhead(name = "batches", permits = 9)
        void fine(@BulkheadWeight("batches") Short size) {
        }
    }
}
