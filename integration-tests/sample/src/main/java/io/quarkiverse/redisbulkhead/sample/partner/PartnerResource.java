package io.quarkiverse.redisbulkhead.sample.partner;

import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.jboss.resteasy.reactive.RestQuery;

/** Returns a price of the partner. While ten calls to the partner are running, it responds with status 429. */
@Path("/partner/quote")
public class PartnerResource {

    private final PartnerApi partner;

    PartnerResource(@RestClient PartnerApi partner) {
        this.partner = partner;
    }

    /** Asks the partner. */
    @GET
    public Quote quote(@RestQuery @DefaultValue("teapot") String article) {
        return partner.quote(article);
    }
}
