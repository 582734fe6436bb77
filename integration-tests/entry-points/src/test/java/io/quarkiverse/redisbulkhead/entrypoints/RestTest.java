package io.quarkiverse.redisbulkhead.entrypoints;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** REST resources on worker threads and on the event loop. */
@QuarkusTest
class RestTest extends RestTestBase {

    @Test
    void resourcesOnWorkerThreads() throws Exception {
        isLimited("worker", "Endpoints#worker", "worker");
    }

    @Test
    void resourcesOnTheEventLoop() throws Exception {
        isLimited("event-loop", "Endpoints#eventLoop", "event loop");
    }

    @Path("rest")
    public static class Endpoints {

        @Inject
        Gate gate;

        @GET
        @Path("worker")
        @RedisBulkhead(name = "worker", permits = 2)
        public String worker() {
            return gate.pass();
        }

        @GET
        @Path("event-loop")
        @RedisBulkhead(name = "event-loop", permits = 2)
        public Uni<String> eventLoop() {
            return gate.passLater();
        }
    }
}
