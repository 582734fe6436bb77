package io.quarkiverse.redisbulkhead.sample.crawler;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.annotation.ClientHeaderParam;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkus.rest.client.reactive.Url;
import io.smallrye.mutiny.Uni;

/** Any site on the web. A polite crawler identifies itself. */
@RegisterRestClient(baseUri = "https://example.org")
@ClientHeaderParam(name = "User-Agent", value = "redis-bulkhead-sample")
public interface Website {

    /** Downloads a page. */
    @GET
    @Path("/page-{number}")
    Uni<String> page(@Url String site, int number);
}
