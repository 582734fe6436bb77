package org.acme

import jakarta.ws.rs.GET
import jakarta.ws.rs.Path

import io.quarkiverse.redisbulkhead.RedisBulkhead

@Path("/reports")
class ReportResource {

    @GET
    @RedisBulkhead(name = "reports", permits = 5)
    fun render(): String {
        Thread.sleep(2_000) // the heavy query
        return "done"
    }
}
