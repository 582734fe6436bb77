package io.quarkiverse.redisbulkhead.sample.shapes;

import java.util.concurrent.CompletionStage;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.sample.reports.Database;
import io.quarkiverse.redisbulkhead.sample.reports.Report;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** One limit of two, with every return type; and a lock. */
@Path("/shapes")
public class ShapesResource {

    private static final String BULKHEAD = "shapes";

    private final Database database;
    private final RedisBulkheads bulkheads;

    ShapesResource(@RestClient Database database, RedisBulkheads bulkheads) {
        this.database = database;
        this.bulkheads = bulkheads;
    }

    /** Holds its permit until the method returns. */
    @GET
    @Path("/value")
    @RedisBulkhead(name = BULKHEAD, permits = 2)
    public Report value() {
        return database.report();
    }

    /** Holds its permit until the {@code Uni} ends. */
    @GET
    @Path("/uni")
    @RedisBulkhead(name = BULKHEAD, permits = 2)
    public Uni<Report> uni() {
        return database.reportAsync();
    }

    /** Holds its permit until the stage is complete. */
    @GET
    @Path("/stage")
    @RedisBulkhead(name = BULKHEAD, permits = 2)
    public CompletionStage<Report> stage() {
        return database.reportAsync().subscribeAsCompletionStage();
    }

    /** Holds its permit until the stream ends. */
    @GET
    @Path("/multi")
    @RedisBulkhead(name = BULKHEAD, permits = 2)
    public Multi<Report> multi() {
        return database.reportAsync().toMulti().onItem()
                .transformToMultiAndConcatenate(report -> Multi.createFrom().items(report, report));
    }

    /** Holds a lock while it queries the database. */
    @GET
    @Path("/lock")
    public Uni<Report> lock() {
        return bulkheads.lock("shape").callAsync(database::reportAsync);
    }
}
