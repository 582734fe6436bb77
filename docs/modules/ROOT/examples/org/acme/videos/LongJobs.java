package org.acme.videos;

import java.time.Duration;

import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.logging.Log;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.Scheduled.ConcurrentExecution;

/** Gives the permits of jobs that take long another lease. */
// tag::prolong[]
@Singleton
public class LongJobs {

    private static final Duration LONGEST = Duration.ofHours(3);

    private final RedisSemaphore jobs;
    private final JobTable table;

    LongJobs(RedisBulkheads bulkheads, JobTable table) {
        this.jobs = bulkheads.semaphore(Videos.JOBS);
        this.table = table;
    }

    @Scheduled(every = "10m", concurrentExecution = ConcurrentExecution.SKIP)
    @RedisBulkhead(name = "transcoding-watch", permits = 1)
    void prolong() {
        table.youngerThan(LONGEST).forEach((job, token) -> {
            try {
                String next = jobs.attach(token).detach();
                if (!table.update(job, next)) {
                    jobs.attach(next).close(); // the webhook came meanwhile
                }
            } catch (PermitGoneException e) {
                Log.warnf("%s has no permit: %s", job, e.getMessage());
            }
        });
    }
}
// end::prolong[]
