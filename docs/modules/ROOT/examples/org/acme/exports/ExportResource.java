package org.acme.exports;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** A resource that lets calls wait. */
@Path("/exports")
public class ExportResource {

    // tag::guarded[]
    @GET
    @RedisBulkhead(name = "exports", permits = 2, fair = true, maxWait = "5s")
    public String export() {
        return "exported";
    }
    // end::guarded[]
}
