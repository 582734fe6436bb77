package org.acme.partner;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.faulttolerance.Bulkhead;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** Calls of a partner that permits a number of connections, with a bound in each instance. */
@ApplicationScoped
public class Connections {

    private final Partner partner;

    Connections(Partner partner) {
        this.partner = partner;
    }

    // tag::guarded[]
    @Bulkhead(3)
    @RedisBulkhead(name = "partner-connections", permits = 18, fair = true, maxWait = "2s")
    public BigDecimal price(String article) {
        return partner.price(article);
    }
    // end::guarded[]
}
