package org.acme.jobs;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.Scheduled.ConcurrentExecution;

/** A job that runs once in a night. */
@ApplicationScoped
public class NightlyInvoices {

    private int nights;

    // tag::scheduled[]
    @Scheduled(cron = "0 30 3 * * ?", timeZone = "Europe/Berlin", concurrentExecution = ConcurrentExecution.SKIP)
    @RedisBulkhead(name = "nightly-invoices", permits = 1)
    void run() {
        sendInvoices();
    }
    // end::scheduled[]

    private void sendInvoices() {
        nights++;
    }
}
