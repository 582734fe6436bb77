package io.quarkiverse.redisbulkhead.sample.job;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.sample.reports.Database;

/**
 * Work that must not run twice at the same time in the whole cluster: a bulkhead with one permit.
 * <p>
 * The lease is renewed during the work, so it may be shorter. If an instance dies, another one may start after the
 * lease.
 */
@ApplicationScoped
public class Statistics {

    private final Database database;

    Statistics(@RestClient Database database) {
        this.database = database;
    }

    // tag::guarded[]
    /** Brings the statistics up to date. */
    @RedisBulkhead(name = "statistics", permits = 1, expire = "10s")
    public void update() {
        database.updateStatistics();
    }
    // end::guarded[]
}
