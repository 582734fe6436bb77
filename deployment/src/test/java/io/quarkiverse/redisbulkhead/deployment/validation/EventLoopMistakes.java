package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.grpc.stub.StreamObserver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.grpc.GrpcService;
import io.quarkus.vertx.ConsumeEvent;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HandlerType;
import io.quarkus.vertx.web.RouteFilter;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.mutiny.Uni;

/** Trap 15: a synchronous guarded method on an event loop fails the build. */
final class EventLoopMistakes {

    private static final String WAY_OUT = ", or return Uni, Multi or CompletionStage: the method is synchronous, so"
            + " @RedisBulkhead would wait for Redis there";
    private static final String NON_BLOCKING = ": @NonBlocking puts this method on an event loop. Remove @NonBlocking"
            + WAY_OUT;
    private static final String ADD = " calls this method on an event loop. Add @Blocking or @RunOnVirtualThread" + WAY_OUT;

    static final Mistakes ALL = new Mistakes(EventLoopMistakes.class,
            new Class<?>[] { Resource.class, Service.class, Base.class, Greeter.class, Consumers.class, Routes.class },
            "RBH015 Base#inherited" + NON_BLOCKING,
            "RBH015 Consumers#reply: @ConsumeEvent" + ADD,
            "RBH015 Consumers#synchronous: @ConsumeEvent" + ADD,
            "RBH015 Greeter#greet: gRPC" + ADD,
            "RBH015 Resource#synchronous" + NON_BLOCKING,
            "RBH015 Routes#filter: @RouteFilter calls this method on an event loop. Put @RedisBulkhead on what the routes call"
                    + WAY_OUT,
            "RBH015 Routes#plain: @Route" + ADD,
            "RBH015 Routes#several: @Route" + ADD,
            "RBH015 Service#synchronous" + NON_BLOCKING);

    @Path("resource")
    @RedisBulkhead(name = "resource", permits = 1)
    public static class Resource {
        @GET
        @NonBlocking
        public String synchronous() {
            return "";
        }

        @GET
        @Path("uni")
        @NonBlocking
        public Uni<String> uni() {
            return null;
        }
    }

    static class Base {
        @RedisBulkhead(name = "service", permits = 1)
        void inherited() {
        }
    }

    @Singleton
    @NonBlocking
    @RedisBulkhead(name = "service", permits = 1)
    static class Service extends Base {
        int synchronous() {
            return 0;
        }

        @Blocking
        void blocking() {
        }

        @RunOnVirtualThread
        void virtual() {
        }
    }

    @Singleton
    @GrpcService
    @RedisBulkhead(name = "grpc", permits = 1)
    static class Greeter {
        public void greet(String name, StreamObserver<String> answer) {
        }

        @Blocking
        public void greetFromAWorker(String name, StreamObserver<String> answer) {
        }

        public Uni<String> greetLater(String name) {
            return null;
        }

        public String helper(String name) {
            return name;
        }
    }

    @Singleton
    @Blocking
    @RedisBulkhead(name = "events", permits = 1)
    static class Consumers {
        @ConsumeEvent("a")
        void synchronous(String body) {
        }

        @ConsumeEvent(value = "b", blocking = false)
        String reply(String body) {
            return body;
        }

        @ConsumeEvent(value = "c", blocking = true)
        void onAWorker(String body) {
        }

        @Blocking
        @ConsumeEvent("d")
        void alsoOnAWorker(String body) {
        }

        @ConsumeEvent("e")
        Uni<Void> uni(String body) {
            return null;
        }
    }

    @Singleton
    @RedisBulkhead(name = "routes", permits = 1)
    static class Routes {
        @Route(path = "plain")
        String plain() {
            return "";
        }

        @Route(path = "a", type = HandlerType.BLOCKING)
        @Route(path = "b")
        String several() {
            return "";
        }

        @Route(path = "worker", type = HandlerType.BLOCKING)
        String onAWorker() {
            return "";
        }

        @RunOnVirtualThread
        @Route(path = "virtual")
        String virtual() {
            return "";
        }

        @RouteFilter
        void filter(String context) {
        }
    }
}
