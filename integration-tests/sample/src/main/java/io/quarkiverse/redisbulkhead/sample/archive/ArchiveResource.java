package io.quarkiverse.redisbulkhead.sample.archive;

import java.time.Duration;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.sample.reports.Database;
import io.quarkiverse.redisbulkhead.sample.reports.Report;

/**
 * Archives a year; each year once at a time, different years side by side. The bulkhead is defined in code, and the year is
 * the key.
 */
@Path("/archive/{year:[12]\\d\\d\\d}")
public class ArchiveResource {

    // tag::archive[]
    private static final SemaphoreSpec ONE_AT_ONCE = SemaphoreSpec.named("archive").permits(1).expire(Duration.ofSeconds(10))
            .build();
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    // end::archive[]

    private final RedisBulkheads bulkheads;
    private final Database database;

    ArchiveResource(RedisBulkheads bulkheads, @RestClient Database database) {
        this.bulkheads = bulkheads;
        this.database = database;
    }

    // tag::archive[]
    /**
     * Archives a year. Does not report success when the permit was lost on the way, because another instance may have begun.
     */
    @POST
    public ArchivedYear archive(int year) {
        try (Permit permit = oneAtOnce(year).acquire(PATIENCE)) {
            Report report = database.report();
            if (!permit.isHeld()) {
                throw new WebApplicationException(Response.Status.CONFLICT);
            }
            return new ArchivedYear(year, report);
        }
    }

    private RedisSemaphore oneAtOnce(int year) {
        return bulkheads.semaphore(ONE_AT_ONCE).forKey(Integer.toString(year));
    }
    // end::archive[]
}
