package io.quarkiverse.redisbulkhead.sample.job;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** Returns what the scheduled job has done on this instance. */
@Path("/job")
public class JobResource {

    private final StatisticsJob job;

    JobResource(StatisticsJob job) {
        this.job = job;
    }

    /** The last run and the last skip. */
    @GET
    public StatisticsJob.History history() {
        return job.history();
    }
}
