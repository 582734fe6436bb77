package org.acme.operations;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkheads;

/** Changes a limit for all applications while they run. */
@ApplicationScoped
public class NightShift {

    private final RedisBulkheads bulkheads;

    NightShift(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    // tag::resize[]
    public void begin() {
        bulkheads.semaphore("reports").resize(20);
    }

    public void end() {
        bulkheads.semaphore("reports").resetSize();
    }
    // end::resize[]
}
