package org.acme.warehouse;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** Calls of different weights share a bulkhead. */
@ApplicationScoped
public class Warehouse {

    // tag::guarded[]
    @RedisBulkhead(name = "warehouse", permits = 10, fair = true, maxWait = "30s")
    public int stock(String item) {
        return item.length();
    }

    @RedisBulkhead(name = "warehouse", weight = 4)
    public String yearlyReport() {
        return "all of it";
    }
    // end::guarded[]
}
