package io.quarkiverse.redisbulkhead.benchmarks.application;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.smallrye.common.annotation.Blocking;

/** What is asked for when the application has started. */
@Path("/greeting")
public class Greeting {

    @Inject
    GuardedWork work;

    /** Makes one call that is guarded where the extension is there. */
    @GET
    @Blocking
    public String greet() {
        return "hello " + work.blocking();
    }
}
