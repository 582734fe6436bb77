package org.acme.migrating;

import java.util.Optional;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/** After: a permit that is acquired in code. */
@ApplicationScoped
public class Imports {

    private final RedisBulkheads bulkheads;

    Imports(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    // tag::guarded[]
    static final SemaphoreSpec IMPORTS = SemaphoreSpec.named("imports").permits(3).build();

    public Optional<Integer> importLines(String file) {
        try (Permit permit = bulkheads.semaphore(IMPORTS).tryAcquire().orElse(null)) {
            return permit == null ? Optional.empty() : Optional.of(load(file));
        }
    }
    // end::guarded[]

    private static int load(String file) {
        return file.length();
    }
}
