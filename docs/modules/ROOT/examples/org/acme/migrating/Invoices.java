package org.acme.migrating;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;

/** After: the permit is the handle of the lock's owner. */
@ApplicationScoped
public class Invoices {

    private final RedisBulkheads bulkheads;
    private volatile String last;

    Invoices(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    // tag::lock[]
    public boolean send(String invoice) {
        try (Permit owned = bulkheads.lock("invoice-" + invoice).tryLock(Duration.ofSeconds(2)).orElse(null)) {
            if (owned == null) {
                return false;
            }
            mail(invoice);
            return true;
        }
    }
    // end::lock[]

    /** The invoice that was mailed last; null if none was. */
    public String last() {
        return last;
    }

    private void mail(String invoice) {
        last = invoice;
    }
}
