package io.quarkiverse.redisbulkhead.behaviour;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.Test;

import io.opentelemetry.api.trace.Span;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.arc.Arc;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Trap 30: after an asynchronous acquire, the guarded method and its continuations run on the caller's Vert.x context, on
 * the same kind of thread, with the same CDI request context and the same span.
 */
@QuarkusTest
class CallerContextTest {

    @Test
    void uniOnTheEventLoop() {
        given().queryParam("tenant", "a").get("/context/uni").then().statusCode(200)
                .body(is("same context, same thread kind, tenant a, same trace"));
    }

    @Test
    void uniOnAWorkerThread() {
        given().queryParam("tenant", "b").get("/context/worker").then().statusCode(200)
                .body(is("same context, same thread kind, tenant b, same trace"));
    }

    @Test
    void stage() {
        given().queryParam("tenant", "c").get("/context/stage").then().statusCode(200)
                .body(is("same context, same thread kind, tenant c, same trace"));
    }

    @Test
    void multi() {
        given().queryParam("tenant", "d").get("/context/multi").then().statusCode(200)
                .body(is("same context, same thread kind, tenant d, same trace"));
    }

    @Test
    void withoutVertx() {
        when().get("/context/plain").then().statusCode(200).body(is("tenant e, may block: true"));
    }

    /** Trap 15: a synchronous method that would block the event loop fails with a clear message. */
    @Test
    void synchronousMethodFailsOnTheEventLoop() {
        when().get("/context/wrong").then().statusCode(500).body(containsString("Guarded#blocking"))
                .body(containsString("must not be called on an event loop"));
    }

    record Place(Context context, boolean eventLoop, String trace) {

        static Place here() {
            return new Place(Vertx.currentContext(), Context.isOnEventLoopThread(),
                    Span.current().getSpanContext().getTraceId());
        }

        String compare(Place other, String tenant) {
            return (context == other.context ? "same" : "other") + " context, "
                    + (eventLoop == other.eventLoop ? "same" : "other") + " thread kind, tenant " + tenant + ", "
                    + (trace.equals(other.trace) && !trace.matches("0+") ? "same" : "other") + " trace";
        }
    }

    @Path("/context")
    public static class Endpoints {

        @Inject
        Guarded guarded;

        @Inject
        Tenant tenant;

        @GET
        @Path("/uni")
        public Uni<String> uni(@QueryParam("tenant") String name) {
            tenant.name(name);
            Place here = Place.here();
            return guarded.uni(here).map(inside -> both(inside, here));
        }

        @GET
        @Path("/worker")
        @Blocking
        public Uni<String> worker(@QueryParam("tenant") String name) {
            return uni(name);
        }

        @GET
        @Path("/stage")
        @NonBlocking
        public CompletionStage<String> stage(@QueryParam("tenant") String name) {
            tenant.name(name);
            Place here = Place.here();
            return guarded.stage(here).thenApply(inside -> both(inside, here));
        }

        @GET
        @Path("/multi")
        public Multi<String> multi(@QueryParam("tenant") String name) {
            tenant.name(name);
            Place here = Place.here();
            return guarded.multi(here).map(inside -> both(inside, here));
        }

        private String both(String inside, Place here) {
            String after = here.compare(Place.here(), tenant.name());
            return inside.equals(after) ? inside : "inside: " + inside + "; after: " + after;
        }

        @GET
        @Path("/plain")
        public String plain() throws Exception {
            String[] result = new String[1];
            Thread thread = new Thread(() -> {
                Arc.container().requestContext().activate();
                try {
                    tenant.name("e");
                    result[0] = guarded.plain().await().atMost(Duration.ofSeconds(10));
                } finally {
                    Arc.container().requestContext().terminate();
                }
            });
            thread.start();
            thread.join();
            return result[0];
        }

        @GET
        @Path("/wrong")
        @NonBlocking
        public String wrong() {
            return guarded.blocking();
        }
    }

    @RequestScoped
    public static class Tenant {

        private String name;

        String name() {
            return name;
        }

        void name(String name) {
            this.name = name;
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @Inject
        Tenant tenant;

        @RedisBulkhead(name = "context", permits = 5)
        Uni<String> uni(Place caller) {
            return Uni.createFrom().item(caller.compare(Place.here(), tenant.name()));
        }

        @RedisBulkhead(name = "context", permits = 5)
        CompletionStage<String> stage(Place caller) {
            return CompletableFuture.completedFuture(caller.compare(Place.here(), tenant.name()));
        }

        @RedisBulkhead(name = "context", permits = 5)
        Multi<String> multi(Place caller) {
            return Multi.createFrom().item(caller.compare(Place.here(), tenant.name()));
        }

        @RedisBulkhead(name = "context", permits = 5)
        Uni<String> plain() {
            return Uni.createFrom().item("tenant " + tenant.name() + ", may block: " + !Context.isOnEventLoopThread());
        }

        @RedisBulkhead(name = "context", permits = 5)
        String blocking() {
            return "never";
        }
    }
}
