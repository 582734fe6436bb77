package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

/**
 * A message that was published.
 *
 * @param channel the channel
 * @param text the message
 */
public record Published(String channel, String text) {
}
