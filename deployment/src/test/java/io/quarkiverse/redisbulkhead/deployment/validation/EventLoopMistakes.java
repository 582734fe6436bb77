package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Outgoing;

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
            new Class<?>[] { Resource.class, Service.class, Base.class, Greeter.class, Consumers.class, Messages.class,
                    Routes.class },
            "RBH015 Base#inherited" + NON_BLOCKING,
            "RBH015 Consumers#reply: @ConsumeEvent" + ADD,
            "RBH015 Consumers#synchronous: @ConsumeEvent" + ADD,
            "RBH015 Greeter#greet: gRPC" + ADD,
            "RBH015 Messages#ofTwoChannels: quarkus.messaging.blocking.signatures.execution.mode=event-loop" + ADD,
            "RBH015 Messages#synchronous: quarkus.messaging.blocking.signatures.execution.mode=event-loop" + ADD,
            "RBH015 Messages#toTwoChannels: quarkus.messaging.blocking.signatures.execution.mode=event-loop" + ADD,
            "RBH015 Resource#synchronous" + NON_BLOCKING,
            "RBH015 Routes#filter: @RouteFilter calls this method on an event loop. Put @RedisBulkhead on what the routes call"
                    + WAY_OUT,
            "RBH015 Routes#plain: @Route" + ADD,
            "RBH015 Routes#several: @Route" + ADD,
            "RBH015 Service#synchronous" + NON_BLOCKING);

    @Path("resource")
    public static class Resource {
        @GET
        @NonBlocking
        @RedisBulkhead(name = "resource", permits = 1)
        public String synchronous() {
            return "";
        }

        @GET
        @Path("uni")
        @NonBlocking
        @RedisBulkhead(name = "resource", permits = 1)
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
    static class Service extends Base {
        @RedisBulkhead(name = "service", permits = 1)
        int synchronous() {
            return 0;
        }

        @Blocking
        @RedisBulkhead(name = "service", permits = 1)
        void blocking() {
        }

        @RunOnVirtualThread
        @RedisBulkhead(name = "service", permits = 1)
        void virtual() {
        }
    }

    @Singleton
    @GrpcService
    static class Greeter {
        @RedisBulkhead(name = "grpc", permits = 1)
        public void greet(String name, StreamObserver<String> answer) {
        }

        @Blocking
        @RedisBulkhead(name = "grpc", permits = 1)
        public void greetFromAWorker(String name, StreamObserver<String> answer) {
        }

        @RedisBulkhead(name = "grpc", permits = 1)
        public Uni<String> greetLater(String name) {
            return null;
        }

        @RedisBulkhead(name = "grpc", permits = 1)
        public String helper(String name) {
            return name;
        }
    }

    @Singleton
    @Blocking
    static class Consumers {
        @ConsumeEvent("a")
        @RedisBulkhead(name = "events", permits = 1)
        void synchronous(String body) {
        }

        @ConsumeEvent(value = "b", blocking = false)
        @RedisBulkhead(name = "events", permits = 1)
        String reply(String body) {
            return body;
        }

        @ConsumeEvent(value = "c", blocking = true)
        @RedisBulkhead(name = "events", permits = 1)
        void onAWorker(String body) {
        }

        @Blocking
        @ConsumeEvent("d")
        @RedisBulkhead(name = "events", permits = 1)
        void alsoOnAWorker(String body) {
        }

        @ConsumeEvent("e")
        @RedisBulkhead(name = "events", permits = 1)
        Uni<Void> uni(String body) {
            return null;
        }
    }

    @Singleton
    static class Messages {
        @Incoming("a")
        @RedisBulkhead(name = "messages", permits = 1)
        void synchronous(String body) {
        }

        @Incoming("a")
        @Incoming("b")
        @RedisBulkhead(name = "messages", permits = 1)
        void ofTwoChannels(String body) {
        }

        @Outgoing("x")
        @Outgoing("y")
        @RedisBulkhead(name = "messages", permits = 1)
        String toTwoChannels() {
            return null;
        }

        @Blocking
        @Incoming("b")
        @RedisBulkhead(name = "messages", permits = 1)
        void onAWorker(String body) {
        }

        @Transactional
        @Incoming("c")
        @RedisBulkhead(name = "messages", permits = 1)
        void inATransaction(String body) {
        }

        @Incoming("d")
        @RedisBulkhead(name = "messages", permits = 1)
        Uni<Void> uni(String body) {
            return null;
        }
    }

    @Singleton
    static class Routes {
        @Route(path = "plain")
        @RedisBulkhead(name = "routes", permits = 1)
        String plain() {
            return "";
        }

        @Route(path = "a", type = HandlerType.BLOCKING)
        @Route(path = "b")
        @RedisBulkhead(name = "routes", permits = 1)
        String several() {
            return "";
        }

        @Route(path = "worker", type = HandlerType.BLOCKING)
        @RedisBulkhead(name = "routes", permits = 1)
        String onAWorker() {
            return "";
        }

        @RunOnVirtualThread
        @Route(path = "virtual")
        @RedisBulkhead(name = "routes", permits = 1)
        String virtual() {
            return "";
        }

        @RouteFilter
        @RedisBulkhead(name = "routes", permits = 1)
        void filter(String context) {
        }
    }
}
