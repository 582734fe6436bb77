package io.quarkiverse.redisbulkhead.sample.exports;

import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.jboss.resteasy.reactive.RestQuery;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.sample.reports.Database;
import io.smallrye.mutiny.Uni;

/**
 * Exports, of which the database can handle two at once. A third request is not rejected: it waits for up to five seconds,
 * behind all earlier ones on any instance.
 */
@Path("/exports")
public class ExportResource {

    private final Database database;

    ExportResource(@RestClient Database database) {
        this.database = database;
    }

    // tag::guarded[]
    /** Exports a table. No thread waits, neither for the permit nor for the database. */
    @GET
    @RedisBulkhead(name = "exports", permits = 2, fair = true, maxWait = "5s")
    public Uni<Export> export(@RestQuery @DefaultValue("orders") String table) {
        return database.export(table);
    }
    // end::guarded[]
}
