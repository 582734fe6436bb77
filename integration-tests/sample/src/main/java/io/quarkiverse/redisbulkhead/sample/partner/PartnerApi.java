package io.quarkiverse.redisbulkhead.sample.partner;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.jboss.resteasy.reactive.RestQuery;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

// tag::client[]
/**
 * A partner's API. The contract allows ten calls at once, however many instances we run, so the limit is on the client: it
 * holds wherever the client is used. Set {@code sample.partner.url} to call a real partner instead of the stand-in.
 */
@RegisterRestClient(configKey = "partner")
public interface PartnerApi {

    /** Asks for a price. */
    @GET
    @Path("/quote")
    @RedisBulkhead(name = "partner-api", permits = 10)
    Quote quote(@RestQuery String article);
}
// end::client[]
