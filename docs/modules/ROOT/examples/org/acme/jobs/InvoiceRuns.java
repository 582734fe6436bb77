package org.acme.jobs;

import java.time.LocalDate;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands in for a table with a row for each day whose invoices were sent. */
@ApplicationScoped
public class InvoiceRuns {

    private final Set<LocalDate> days = ConcurrentHashMap.newKeySet();

    /** Whether the invoices of a day were sent. */
    public boolean isDone(LocalDate day) {
        return days.contains(day);
    }

    /** Notes that they were. */
    public void done(LocalDate day) {
        days.add(day);
    }
}
