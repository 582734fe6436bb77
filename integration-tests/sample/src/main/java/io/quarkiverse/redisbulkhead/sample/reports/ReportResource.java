package io.quarkiverse.redisbulkhead.sample.reports;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Uni;

/**
 * A heavy report, of which the database can handle five at once: five over all instances of this application and both
 * endpoints. A sixth request gets status 429 and does not reach the database.
 */
@Path("/reports")
public class ReportResource {

    private final Database database;

    ReportResource(@RestClient Database database) {
        this.database = database;
    }

    // tag::guarded[]
    /** The imperative way: runs on a worker thread, which waits for the permit and for the database. */
    @GET
    @RedisBulkhead(name = "reports", permits = 5)
    public Report render() {
        return database.report();
    }

    /** The reactive way: runs on an event loop; the permit is held until the {@code Uni} ends. */
    @GET
    @Path("/async")
    @RedisBulkhead(name = "reports", permits = 5)
    public Uni<Report> renderAsync() {
        return database.reportAsync();
    }
    // end::guarded[]
}
