package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * What all permits have in common that one method acquires from one bulkhead.
 *
 * @param bulkhead the bulkhead
 * @param weight how much of the limit a permit takes, as its id {@linkplain Weights tells}, too
 * @param limit how many permits may be held, the new one included, unless the bulkhead was resized
 * @param lease how long a permit lives
 * @param fair whether a request waits for its turn
 * @param application the name of the asking application
 * @param instance its host and process
 * @param method the guarded method
 */
public record PermitTerms(BulkheadId bulkhead, int weight, int limit, Duration lease, boolean fair, String application,
        String instance, String method) {
}
