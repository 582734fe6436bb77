package io.quarkiverse.redisbulkhead.sample.standin;

import java.math.BigDecimal;
import java.time.Duration;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.resteasy.reactive.RestQuery;

import io.quarkiverse.redisbulkhead.sample.exports.Export;
import io.quarkiverse.redisbulkhead.sample.partner.Quote;
import io.quarkiverse.redisbulkhead.sample.reports.Report;
import io.smallrye.mutiny.Uni;

/**
 * Stands in for the database, the partner and the websites, so that the sample works out of the box. Responses are slow; no
 * thread waits for them.
 */
@Path("/stand-in")
public class StandInResource {

    private final Duration time;

    StandInResource(@ConfigProperty(name = "sample.stand-in.time") Duration time) {
        this.time = time;
    }

    @GET
    @Path("/database/report")
    public Uni<Report> report() {
        return later(new Report("Sales by region", 1_250_000));
    }

    @GET
    @Path("/database/export")
    public Uni<Export> export(@RestQuery String table) {
        return later(new Export(table, 40_000));
    }

    @POST
    @Path("/database/statistics")
    public Uni<Void> statistics() {
        return later(null);
    }

    @GET
    @Path("/partner/quote")
    public Uni<Quote> quote(@RestQuery String article) {
        return later(new Quote(article, new BigDecimal("12.50")));
    }

    @GET
    @Path("/{host}/page-{number}")
    public Uni<String> page(String host, int number) {
        return later("Page " + number + " of " + host);
    }

    private <T> Uni<T> later(T answer) {
        return Uni.createFrom().item(answer).onItem().delayIt().by(time);
    }
}
