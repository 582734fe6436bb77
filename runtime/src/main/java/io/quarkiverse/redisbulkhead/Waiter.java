package io.quarkiverse.redisbulkhead;

import java.time.Instant;
import java.util.Optional;

/**
 * A call that waits for a permit, as operators see it.
 *
 * @param permitId an id of the waiting call, unique at this moment
 * @param bulkhead the bulkhead's name; for a lock, {@value LockSpec#BULKHEAD_PREFIX} and the lock's name
 * @param key the key value that the permit counts for; empty if the bulkhead is used without a key
 * @param ticket the place in the order, the lower the earlier; 0 in a bulkhead that is not fair
 * @param weight how much of the limit the permit takes, at least 1
 * @param application the name of the waiting application ({@code quarkus.application.name})
 * @param instance host and process of the waiting application, as {@code host:pid}
 * @param method the guarded method, or the one that called {@link RedisSemaphore} or {@link RedisLock}, as {@code Class#method}
 * @param since when the call asked for a permit, by the clock of this instance
 * @param until when the call gives up, by the clock of this instance
 */
public record Waiter(String permitId, String bulkhead, Optional<String> key, long ticket, int weight, String application,
        String instance, String method, Instant since, Instant until) {
}
