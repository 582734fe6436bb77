package io.quarkiverse.redisbulkhead.sample.job;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.sample.reports.Database;

/**
 * Work that must not run twice at the same time in the whole cluster: a bulkhead with one permit.
 * <p>
 * The lease must be longer than the work can ever take; after that time another instance may begin. The call to the database
 * ends after 20 seconds at the latest ({@code quarkus.rest-client.read-timeout}).
 */
@ApplicationScoped
public class Statistics {

    private final Database database;

    Statistics(@RestClient Database database) {
        this.database = database;
    }

    /** Brings the statistics up to date. */
    @RedisBulkhead(name = "statistics", permits = 1, expire = "1m")
    public void update() {
        database.updateStatistics();
    }
}
