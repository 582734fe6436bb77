package org.acme.videos;

import java.time.Duration;
import java.util.Optional;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.Status;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.logging.Log;

/** Starts jobs of another service, which reports their ends to a webhook. */
// tag::jobs[]
@Path("/videos")
public class Videos {

    static final SemaphoreSpec JOBS = SemaphoreSpec.named("transcoding").permits(4).expire(Duration.ofMinutes(30)).build();

    private final RedisSemaphore jobs;
    private final Transcoder transcoder;
    private final JobTable table;

    Videos(RedisBulkheads bulkheads, Transcoder transcoder, JobTable table) {
        this.jobs = bulkheads.semaphore(JOBS);
        this.transcoder = transcoder;
        this.table = table;
    }

    @POST
    public RestResponse<String> start(String video) {
        Optional<Permit> permit = jobs.tryAcquire();
        if (permit.isEmpty()) {
            return RestResponse.status(Status.TOO_MANY_REQUESTS);
        }
        try (Permit reserved = permit.get()) {
            String job = transcoder.start(video);
            table.insert(job, reserved.detach());
            return RestResponse.ok(job);
        }
    }

    @POST
    @Path("/finished")
    public void finished(String job) {
        table.delete(job).ifPresent(permit -> {
            try {
                jobs.attach(permit).close();
            } catch (PermitGoneException e) {
                Log.warnf("%s has no permit: %s", job, e.getMessage());
            }
        });
    }
}
// end::jobs[]
