package io.quarkiverse.redisbulkhead.runtime.bulkhead;

/**
 * Who acquires the permits of this process, as operators see it.
 *
 * @param application the application's name
 * @param instance its host and process, as {@code host:pid}
 */
public record HolderIdentity(String application, String instance) {
}
