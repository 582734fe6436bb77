package org.acme.jobs;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.Scheduled.ConcurrentExecution;

/** A job that one instance at a time runs. */
@ApplicationScoped
public class StatisticsJob {

    private int updates;

    // tag::scheduled[]
    @Scheduled(cron = "0 0 * * * ?", concurrentExecution = ConcurrentExecution.SKIP)
    @RedisBulkhead(name = "statistics", permits = 1)
    void update() {
        updateStatistics();
    }
    // end::scheduled[]

    private void updateStatistics() {
        updates++;
    }
}
