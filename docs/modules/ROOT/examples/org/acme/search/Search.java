package org.acme.search;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** A search with a narrow limit within a wide one. */
@ApplicationScoped
public class Search {

    // tag::guarded[]
    @RedisBulkhead(name = "search-of-tenant", permits = 5)
    @RedisBulkhead(name = "search", permits = 100)
    public List<String> search(@BulkheadKey("search-of-tenant") String tenant, String words) {
        return documents(tenant, words);
    }
    // end::guarded[]

    private static List<String> documents(String tenant, String words) {
        return List.of(words + " of " + tenant);
    }
}
