package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * The state of waiters.
 *
 * @param handedOver waiters that hold a permit now
 * @param gone waiters with neither a permit nor a place, which must queue again
 * @param free how many permits are free for waiters that are not fair
 * @param nearestLeaseEnd how long until the first of the current leases ends; zero when nothing is held
 * @param storeMillis the clock of the store, in milliseconds since the epoch
 */
public record PollReply(Map<String, HandOver> handedOver, Set<String> gone, int free, Duration nearestLeaseEnd,
        long storeMillis) {
}
