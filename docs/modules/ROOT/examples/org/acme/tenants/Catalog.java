package org.acme.tenants;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** A search with a limit for each tenant within one for all. */
@ApplicationScoped
public class Catalog {

    // tag::guarded[]
    @RedisBulkhead(name = "catalog-of-tenant", permits = 2, keyResolver = TenantOfUser.class)
    @RedisBulkhead(name = "catalog", permits = 20)
    public List<String> find(String words) {
        return articles(words);
    }
    // end::guarded[]

    private static List<String> articles(String words) {
        return List.of(words);
    }
}
