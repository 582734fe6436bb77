package io.quarkiverse.redisbulkhead.entrypoints;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** REST resources on worker threads and on the event loop. */
@QuarkusTest
class RestTest extends RestTestBase {

    @ParameterizedTest
    @CsvSource({ "worker, Endpoints#worker, worker", "event-loop, Endpoints#eventLoop, event loop" })
    void resourcesAreLimited(String path, String method, String thread) throws Exception {
        isLimited(path, method, thread);
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
