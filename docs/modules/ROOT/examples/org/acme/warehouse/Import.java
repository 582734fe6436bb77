package org.acme.warehouse;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadWeight;
import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** Each call has its own weight. */
@ApplicationScoped
public class Import {

    public int store(List<String> rows) {
        return store(rows, rows.size());
    }

    // tag::guarded[]
    @RedisBulkhead(name = "import", permits = 5_000, maxWait = "30s")
    int store(List<String> rows, @BulkheadWeight int size) {
        return rows.size();
    }
    // end::guarded[]
}
