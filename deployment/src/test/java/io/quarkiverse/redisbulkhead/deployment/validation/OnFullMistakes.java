package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

final class OnFullMistakes {

    private static final String SKIP = "skip is for methods that return void, Uni<Void> or CompletionStage<Void>, and not for"
            + " Kotlin suspend functions. It cannot apply to ";
    private static final String WAY_OUT = ". Use reject and a @Fallback, or a bulkhead of another name there";

    static final Mistakes ALL = new Mistakes(OnFullMistakes.class,
            new Class<?>[] { Jobs.class, Coroutines.class, kotlin.coroutines.Continuation.class },
            // There are no coroutines in this module.
            "RBH014 Coroutines#suspending: @RedisBulkhead cannot see when an execution of this method ends, because it is a"
                    + " Kotlin suspend function, and the application has no kotlinx-coroutines-core. Add the dependency"
                    + " org.jetbrains.kotlinx:kotlinx-coroutines-core",
            "RBH033 quarkus.redis-bulkhead.\"later\".on-full: " + SKIP + "Jobs#items, Jobs#text, Jobs#unknown" + WAY_OUT,
            "RBH033 quarkus.redis-bulkhead.\"suspending\".on-full: " + SKIP + "Coroutines#suspending" + WAY_OUT,
            "RBH005 quarkus.redis-bulkhead.\"typo\".on-full: onFull must be reject or skip, but is 'skipp'",
            "RBH033 quarkus.redis-bulkhead.\"value\".on-full: " + SKIP + "Jobs#value" + WAY_OUT);

    @Singleton
    static class Coroutines {
        /** The bytecode of a {@code suspend} function without a result. */
        @RedisBulkhead(name = "suspending", permits = 1)
        Object suspending(kotlin.coroutines.Continuation<? super kotlin.Unit> continuation) {
            return null;
        }
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
