package org.acme;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

@Path("/reports")
public class ReportResource {

    @GET
    @RedisBulkhead(name = "reports", permits = 5)
    public String render() {
        return "done";
    }
}
