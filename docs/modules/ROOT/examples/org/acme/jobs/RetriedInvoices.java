package org.acme.jobs;

import java.time.LocalDate;
import java.time.ZoneId;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.Scheduled.ConcurrentExecution;

/** A job that tries again until it has succeeded in that night. */
@ApplicationScoped
public class RetriedInvoices {

    private final InvoiceRuns runs;
    private int sent;

    RetriedInvoices(InvoiceRuns runs) {
        this.runs = runs;
    }

    // tag::scheduled[]
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @Scheduled(cron = "0 */10 3-5 * * ?", timeZone = "Europe/Berlin", concurrentExecution = ConcurrentExecution.SKIP)
    @RedisBulkhead(name = "nightly-invoices", permits = 1)
    void run() {
        LocalDate today = LocalDate.now(BERLIN);
        if (!runs.isDone(today)) {
            sendInvoices();
            runs.done(today);
        }
    }
    // end::scheduled[]

    private void sendInvoices() {
        sent++;
    }

    int sent() {
        return sent;
    }
}
