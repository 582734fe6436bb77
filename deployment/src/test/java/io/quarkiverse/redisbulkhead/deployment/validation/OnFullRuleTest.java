package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

class OnFullRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(OnFullRuleTest.class, new Class<?>[] { Jobs.class },
            "RBH033 quarkus.redis-bulkhead.\"later\".on-full: skip is for methods that return nothing (void, Uni<Void> or"
                    + " CompletionStage<Void>), but Jobs#items, Jobs#text, Jobs#unknown return something. Use reject and a"
                    + " @Fallback, or a bulkhead of another name there",
            "RBH005 quarkus.redis-bulkhead.\"typo\".on-full: onFull must be reject or skip, but is 'skipp'",
            "RBH033 quarkus.redis-bulkhead.\"value\".on-full: skip is for methods that return nothing (void, Uni<Void> or"
                    + " CompletionStage<Void>), but Jobs#value returns something. Use reject and a @Fallback, or a bulkhead of"
                    + " another name there")
            .overrideConfigKey("quarkus.redis-bulkhead.\"value\".on-full", "skip")
            .overrideConfigKey("quarkus.redis-bulkhead.\"later\".on-full", "skip")
            .overrideConfigKey("quarkus.redis-bulkhead.\"nothing\".on-full", "skip")
            .overrideConfigKey("quarkus.redis-bulkhead.\"rejecting\".on-full", "reject")
            .overrideConfigKey("quarkus.redis-bulkhead.\"typo\".on-full", "skipp");

    @Test
    void callsThatReturnSomethingCannotBeSkipped() {
        Assertions.fail();
    }

    @Singleton
    static class Jobs {

        @RedisBulkhead(name = "value", permits = 1)
        int value() {
            return 1;
        }

        @RedisBulkhead(name = "value", permits = 1)
        void nothing() {
        }

        @RedisBulkhead(name = "later", permits = 1)
        Uni<String> text() {
            return Uni.createFrom().item("text");
        }

        @RedisBulkhead(name = "later", permits = 1)
        Multi<Void> items() {
            return Multi.createFrom().empty();
        }

        @RedisBulkhead(name = "later", permits = 1)
        CompletionStage<?> unknown() {
            return CompletableFuture.completedStage(null);
        }

        @RedisBulkhead(name = "nothing", permits = 1)
        void synchronous() {
        }

        @RedisBulkhead(name = "nothing", permits = 1)
        Uni<Void> uni() {
            return Uni.createFrom().voidItem();
        }

        @RedisBulkhead(name = "nothing", permits = 1)
        CompletableFuture<Void> future() {
            return CompletableFuture.completedFuture(null);
        }

        @RedisBulkhead(name = "rejecting", permits = 1)
        int rejecting() {
            return 1;
        }

        @RedisBulkhead(name = "typo", permits = 1)
        void typo() {
        }
    }
}
