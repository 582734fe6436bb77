package io.quarkiverse.redisbulkhead.reference;

/**
 * The settings that all clients of a reference semaphore share.
 *
 * @param name the key
 * @param limit how many permits there are
 * @param timeoutMillis for how long a permit is held unless it is refreshed
 */
public record ReferenceSpec(String name, int limit, long timeoutMillis) {
}
