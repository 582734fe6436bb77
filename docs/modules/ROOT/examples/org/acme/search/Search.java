package org.acme.search;

import java.time.Duration;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;

/** A search with a narrow limit within a wide one, by annotation and in code. */
@ApplicationScoped
public class Search {

    private final RedisBulkheads bulkheads;

    Search(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    // tag::guarded[]
    @RedisBulkhead(name = "search-of-tenant", permits = 5)
    @RedisBulkhead(name = "search", permits = 100)
    public List<String> search(@BulkheadKey("search-of-tenant") String tenant, String words) {
        return documents(tenant, words);
    }
    // end::guarded[]

    // tag::deadline[]
    public List<String> searchWithin(Duration limit, String tenant, String words) {
        long deadline = System.nanoTime() + limit.toNanos();
        try (Permit ofTenant = bulkheads.semaphore("search-of-tenant").forKey(tenant).acquire(limit);
                Permit ofAll = bulkheads.semaphore("search").acquire(until(deadline))) {
            return documents(tenant, words);
        }
    }

    private static Duration until(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }
    // end::deadline[]

    private static List<String> documents(String tenant, String words) {
        return List.of(words + " of " + tenant);
    }
}
