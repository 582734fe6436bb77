package io.quarkiverse.redisbulkhead.sample.search;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.sample.reports.Database;
import io.quarkiverse.redisbulkhead.sample.reports.Report;

/**
 * A search that many tenants share: ten at once in all, to protect the database, and two at once for each tenant, so that
 * none of them takes all ten. Paying tenants have four. The header {@code X-Tenant} names the tenant. The limit of the
 * tenant comes first: a tenant above it takes none of the ten, not even briefly.
 */
@Path("/search")
public class SearchResource {

    private final Database database;

    SearchResource(@RestClient Database database) {
        this.database = database;
    }

    // tag::guarded[]
    /** Searches. */
    @GET
    @RedisBulkhead(name = "search-of-tenant", permits = 2, keyResolver = TenantKey.class)
    @RedisBulkhead(name = "search", permits = 10)
    public Report search() {
        return database.report();
    }
    // end::guarded[]
}
