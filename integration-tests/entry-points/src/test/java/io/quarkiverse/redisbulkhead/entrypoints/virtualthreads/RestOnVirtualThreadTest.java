package io.quarkiverse.redisbulkhead.entrypoints.virtualthreads;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.entrypoints.EntryPointTestBase;
import io.quarkiverse.redisbulkhead.entrypoints.Gate;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.RunOnVirtualThread;

/** REST resources on virtual threads; compiled and run on Java 21 and newer only. */
@QuarkusTest
class RestOnVirtualThreadTest extends EntryPointTestBase {

    @Test
    void resourcesOnVirtualThreads() throws Exception {
        isLimited("virtual", "Endpoints#virtual", "virtual thread");
    }

    @Path("rest/virtual")
    public static class Endpoints {

        @Inject
        Gate gate;

        @GET
        @RunOnVirtualThread
        @RedisBulkhead(name = "virtual", permits = 2)
        public String virtual() {
            return gate.pass();
        }
    }
}
