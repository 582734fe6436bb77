package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.mutiny.Uni;

class EventLoopRuleTest {

    private static final String MISTAKE = ": @NonBlocking puts this method on an event loop, but it is synchronous,"
            + " so @RedisBulkhead would wait for Redis there. Remove @NonBlocking, or return Uni, Multi or CompletionStage";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(EventLoopRuleTest.class,
            new Class<?>[] { Resource.class, Service.class, Base.class },
            "Base#inherited" + MISTAKE,
            "Resource#synchronous" + MISTAKE,
            "Service#synchronous" + MISTAKE);

    @Test
    @DisplayName("Trap 15: a synchronous guarded method on an event loop fails the build")
    void synchronousMethodsOnTheEventLoopFailTheBuild() {
        Assertions.fail();
    }

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
}
