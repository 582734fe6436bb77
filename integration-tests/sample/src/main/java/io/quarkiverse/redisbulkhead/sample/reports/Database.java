package io.quarkiverse.redisbulkhead.sample.reports;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.jboss.resteasy.reactive.RestQuery;

import io.quarkiverse.redisbulkhead.sample.exports.Export;
import io.smallrye.mutiny.Uni;

/**
 * The database that the sample protects. It is called over HTTP, so that the sample needs nothing but Redis; set
 * {@code sample.database.url} to replace the stand-in.
 */
@RegisterRestClient(configKey = "database")
public interface Database {

    /** Runs the heavy query and waits for it. */
    @GET
    @Path("/report")
    Report report();

    /** Runs the heavy query; no thread waits for it. */
    @GET
    @Path("/report")
    Uni<Report> reportAsync();

    /** Copies a table out; no thread waits for it. */
    @GET
    @Path("/export")
    Uni<Export> export(@RestQuery String table);

    /** Brings the database's statistics up to date, which is heavy too. */
    @POST
    @Path("/statistics")
    void updateStatistics();
}
