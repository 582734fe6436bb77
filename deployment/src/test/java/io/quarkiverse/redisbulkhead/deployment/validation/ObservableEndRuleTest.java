package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import jakarta.inject.Singleton;
import jakarta.ws.rs.container.AsyncResponse;

import org.jboss.resteasy.reactive.RestMulti;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.langchain4j.service.TokenStream;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.operators.AbstractUni;

class ObservableEndRuleTest {

    private static final String BECAUSE = ": @RedisBulkhead cannot see when an execution of this method ends, because it ";
    private static final String WAY_OUT = ". Return Uni, Multi, CompletionStage, CompletableFuture, or the plain value";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(ObservableEndRuleTest.class,
            new Class<?>[] { Service.class, Generic.class, Bound.class, OwnFuture.class, Suspending.class,
                    kotlin.coroutines.Continuation.class, TokenStream.class },
            "RBH014 Generic#generic" + BECAUSE + "returns java.util.concurrent.Future" + WAY_OUT,
            "RBH014 Service#asyncResponse" + BECAUSE + "answers through an AsyncResponse" + WAY_OUT,
            "RBH014 Service#future" + BECAUSE + "returns java.util.concurrent.Future" + WAY_OUT,
            "RBH014 Service#ownFuture" + BECAUSE + "returns OwnFuture" + WAY_OUT,
            "RBH014 Service#publisher" + BECAUSE + "returns java.util.concurrent.Flow$Publisher" + WAY_OUT,
            "RBH014 Service#restMulti" + BECAUSE + "returns org.jboss.resteasy.reactive.RestMulti" + WAY_OUT,
            "RBH014 Service#tokenStream" + BECAUSE + "returns dev.langchain4j.service.TokenStream" + WAY_OUT,
            "RBH014 Service#uniSubtype" + BECAUSE + "returns io.smallrye.mutiny.operators.AbstractUni" + WAY_OUT,
            "RBH014 Service#vertxFuture" + BECAUSE + "returns io.vertx.core.Future" + WAY_OUT,
            "RBH014 Suspending#suspending" + BECAUSE + "is a Kotlin suspend function, and the application has no"
                    + " kotlinx-coroutines-core. Add the dependency org.jetbrains.kotlinx:kotlinx-coroutines-core",
            "RBH014 Suspending#suspendingUntilItReturnsAFuture" + BECAUSE + "returns java.util.concurrent.Future" + WAY_OUT);

    @Test
    void methodsWhoseEndCannotBeSeenFailTheBuild() {
        Assertions.fail();
    }

    @Singleton
    static class Service {

        @RedisBulkhead(name = "a", permits = 1)
        Future<String> future() {
            return null;
        }

        @RedisBulkhead(name = "a", permits = 1)
        io.vertx.core.Future<String> vertxFuture() {
            return null;
        }

        @RedisBulkhead(name = "a", permits = 1)
        OwnFuture ownFuture() {
            return null;
        }

        @RedisBulkhead(name = "a", permits = 1)
        Flow.Publisher<String> publisher() {
            return null;
        }

        @RedisBulkhead(name = "a", permits = 1)
        RestMulti<String> restMulti() {
            return null;
        }

        @RedisBulkhead(name = "a", permits = 1)
        AbstractUni<String> uniSubtype() {
            return null;
        }

        @RedisBulkhead(name = "a", permits = 1)
        TokenStream tokenStream() {
            return null;
        }

        @RedisBulkhead(name = "a", permits = 1)
        void asyncResponse(AsyncResponse response) {
        }
    }

    // Written as the Kotlin compiler does it.
    @Singleton
    static class Suspending {

        @RedisBulkhead(name = "a", permits = 1)
        Object suspending(String argument, kotlin.coroutines.Continuation<? super String> continuation) {
            return null;
        }

        @RedisBulkhead(name = "a", permits = 1)
        Object suspendingUntilItReturnsAFuture(kotlin.coroutines.Continuation<? super Future<String>> continuation) {
            return null;
        }
    }

    static class OwnFuture extends CompletableFuture<String> {
    }

    static class Generic<A, R> {

        @RedisBulkhead(name = "a", permits = 1)
        R generic(A argument) {
            return null;
        }
    }

    @Singleton
    static class Bound extends Generic<String, Future<String>> {
    }
}
