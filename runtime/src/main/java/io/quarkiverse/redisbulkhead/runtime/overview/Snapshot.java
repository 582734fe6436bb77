package io.quarkiverse.redisbulkhead.runtime.overview;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All bulkheads at one moment.
 *
 * @param at when this process asked, by its own clock
 * @param bulkheads those that are declared here, and all others that are in use, by name
 * @param incomplete why there may be more keys, or undeclared bulkheads, in use; empty when these are all
 */
public record Snapshot(Instant at, List<BulkheadState> bulkheads, Optional<String> incomplete) {

    /** Copies the list. */
    public Snapshot {
        bulkheads = List.copyOf(bulkheads);
    }
}
