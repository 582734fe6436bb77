package io.quarkiverse.redisbulkhead.deployment.validation;

import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import jakarta.inject.Singleton;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.sse.SseEventSink;

import org.jboss.resteasy.reactive.RestMulti;
import org.jboss.resteasy.reactive.RestResponse;

import dev.langchain4j.service.TokenStream;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;

final class ObservableEndMistakes {

    private static final String BECAUSE = ": @RedisBulkhead cannot see when an execution of this method ends, because it ";
    private static final String WAY_OUT = ". Return Uni, Multi, CompletionStage, CompletableFuture, or the plain value";

    static final Mistakes ALL = new Mistakes(ObservableEndMistakes.class,
            new Class<?>[] { Service.class, Nested.class, Assistant.class, Assistant$$QuarkusImpl.class, Generic.class,
                    Bound.class, OwnFuture.class, Suspending.class,
                    kotlin.coroutines.Continuation.class, TokenStream.class },
            "RBH014 Assistant#answer(String)" + BECAUSE
                    + "returns dev.langchain4j.service.TokenStream. Return Multi or the plain value",
            "RBH014 Generic#generic" + BECAUSE + "returns java.util.concurrent.Future<java.lang.String>" + WAY_OUT,
            "RBH014 Nested#array" + BECAUSE + "returns io.smallrye.mutiny.Uni<java.lang.String>[]" + WAY_OUT,
            "RBH014 Nested#bounded" + BECAUSE + "returns java.util.List<? extends io.smallrye.mutiny.Uni<java.lang.String>>"
                    + WAY_OUT,
            "RBH014 Nested#supplier" + BECAUSE
                    + "returns java.util.function.Supplier<java.util.Optional<io.smallrye.mutiny.Uni<java.lang.String>>>"
                    + WAY_OUT,
            "RBH014 Nested#uni" + BECAUSE + "returns io.smallrye.mutiny.Uni<io.smallrye.mutiny.Multi<java.lang.String>>"
                    + WAY_OUT,
            "RBH014 Service#asyncResponse" + BECAUSE + "answers through an AsyncResponse" + WAY_OUT,
            "RBH014 Service#callable" + BECAUSE + "returns java.util.concurrent.Callable<java.lang.String>" + WAY_OUT,
            "RBH014 Service#future" + BECAUSE + "returns java.util.concurrent.Future<java.lang.String>" + WAY_OUT,
            "RBH014 Service#iterator" + BECAUSE + "returns java.util.Iterator<java.lang.String>" + WAY_OUT,
            "RBH014 Service#ownFuture" + BECAUSE + "returns OwnFuture" + WAY_OUT,
            "RBH014 Service#publisher" + BECAUSE + "returns java.util.concurrent.Flow$Publisher<java.lang.String>" + WAY_OUT,
            "RBH014 Service#responseWithAStream" + BECAUSE
                    + "returns org.jboss.resteasy.reactive.RestResponse<java.io.InputStream>" + WAY_OUT,
            "RBH014 Service#restMulti" + BECAUSE + "returns org.jboss.resteasy.reactive.RestMulti<java.lang.String>" + WAY_OUT,
            "RBH014 Service#sse" + BECAUSE + "answers through an SseEventSink" + WAY_OUT,
            "RBH014 Service#streamOfNumbers" + BECAUSE + "returns java.util.stream.IntStream" + WAY_OUT,
            "RBH014 Service#streamingOutput" + BECAUSE + "returns jakarta.ws.rs.core.StreamingOutput" + WAY_OUT,
            "RBH014 Service#tokenStream" + BECAUSE + "returns dev.langchain4j.service.TokenStream" + WAY_OUT,
            "RBH014 Service#uniSubtype" + BECAUSE + "returns io.smallrye.mutiny.operators.AbstractUni<java.lang.String>"
                    + WAY_OUT,
            "RBH014 Service#vertxFuture" + BECAUSE + "returns io.vertx.core.Future<java.lang.String>" + WAY_OUT,
            "RBH014 Suspending#suspending" + BECAUSE + "is a Kotlin suspend function, and the application has no"
                    + " kotlinx-coroutines-core. Add the dependency org.jetbrains.kotlinx:kotlinx-coroutines-core",
            "RBH014 Suspending#suspendingUntilItReturnsAFuture" + BECAUSE
                    + "returns java.util.concurrent.Future<java.lang.String>" + WAY_OUT);

    @Singleton
    @RedisBulkhead(name = "endless-results", permits = 1)
    static class Service {
        Callable<String> callable() {
            return null;
        }

        Iterator<String> iterator() {
            return null;
        }

        RestResponse<InputStream> responseWithAStream() {
            return null;
        }

        Future<String> future() {
            return null;
        }

        io.vertx.core.Future<String> vertxFuture() {
            return null;
        }

        OwnFuture ownFuture() {
            return null;
        }

        Flow.Publisher<String> publisher() {
            return null;
        }

        RestMulti<String> restMulti() {
            return null;
        }

        AbstractUni<String> uniSubtype() {
            return null;
        }

        TokenStream tokenStream() {
            return null;
        }

        void asyncResponse(AsyncResponse response) {
        }

        void sse(SseEventSink sink) {
        }

        StreamingOutput streamingOutput() {
            return null;
        }

        IntStream streamOfNumbers() {
            return null;
        }
    }

    /** The last two are valid. */
    @Singleton
    @RedisBulkhead(name = "endless-results", permits = 1)
    static class Nested {
        Uni<Multi<String>> uni() {
            return null;
        }

        Supplier<Optional<Uni<String>>> supplier() {
            return null;
        }

        List<? extends Uni<String>> bounded() {
            return null;
        }

        Uni<String>[] array() {
            return null;
        }

        Uni<List<Optional<String>>> result() {
            return null;
        }

        Map<String, ? super Integer> numbers() {
            return null;
        }
    }

    @RegisterAiService
    interface Assistant {
        @RedisBulkhead(name = "endless-results", permits = 1)
        TokenStream answer(String question);

        String answer();
    }

    /** Named as Quarkus LangChain4j names what it generates. */
    @Singleton
    static class Assistant$$QuarkusImpl implements Assistant {
        @Override
        public TokenStream answer(String question) {
            return null;
        }

        @Override
        public String answer() {
            return null;
        }
    }

    // Written as the Kotlin compiler does it.
    @Singleton
    @RedisBulkhead(name = "endless-results", permits = 1)
    static class Suspending {
        Object suspending(String argument, kotlin.coroutines.Continuation<? super String> continuation) {
            return null;
        }

        Object suspendingUntilItReturnsAFuture(kotlin.coroutines.Continuation<? super Future<String>> continuation) {
            return null;
        }
    }

    static class OwnFuture extends CompletableFuture<String> {
    }

    static class Generic<A, R> {
        @RedisBulkhead(name = "endless-results", permits = 1)
        R generic(A argument) {
            return null;
        }
    }

    @Singleton
    static class Bound extends Generic<String, Future<String>> {
    }
}
