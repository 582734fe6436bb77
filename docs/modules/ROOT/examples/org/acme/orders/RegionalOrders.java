package org.acme.orders;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** A bulkhead whose name and lease come from the configuration. */
@ApplicationScoped
public class RegionalOrders {

    // tag::guarded[]
    @RedisBulkhead(name = "${app.region:eu}-orders", permits = 5, expire = "${orders.lease}")
    public String order(String article) {
        return "ordered " + article;
    }
    // end::guarded[]
}
