package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

/**
 * A message that was published.
 *
 * @param channel where
 * @param text what
 */
public record Published(String channel, String text) {
}
