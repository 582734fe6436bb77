package io.quarkiverse.redisbulkhead.runtime.store.steps;

import java.time.Duration;

/**
 * A waiter in the queue.
 *
 * @param permitId the permit that it waits for
 * @param limit the limit that it stated
 * @param lease the lease that it asked for
 */
public record QueuedWaiter(String permitId, int limit, Duration lease) {
}
