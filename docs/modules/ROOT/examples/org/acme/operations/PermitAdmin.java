package org.acme.operations;

import java.util.List;

import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestPath;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkheads;

// tag::admin[]
@Path("/admin/reports")
@RolesAllowed("operator")
public class PermitAdmin {

    private final RedisBulkheads bulkheads;

    PermitAdmin(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    @GET
    public List<String> holders() {
        return bulkheads.semaphore("reports").holders().stream().map(Holder::toString).toList();
    }

    @DELETE
    @Path("{permitId}")
    public void revoke(@RestPath String permitId) {
        if (!bulkheads.semaphore("reports").revoke(permitId)) {
            throw new NotFoundException();
        }
    }
}
// end::admin[]
