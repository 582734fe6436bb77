package io.quarkiverse.redisbulkhead.benchmarks.application;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.smallrye.common.annotation.Blocking;

/** What is asked for when the application has started. */
@Path("/greeting")
public class Greeting {

    @Inject
    GuardedWork work;

    @Inject
    Instance<Visits> visits;

    /** Makes one call that is guarded where the extension is there, and uses the Redis client where the application does. */
    @GET
    @Blocking
    public String greet() {
        if (visits.isResolvable()) {
            visits.get().count();
        }
        return "hello " + work.blocking();
    }
}
