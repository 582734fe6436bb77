package io.quarkiverse.redisbulkhead;

import java.time.Instant;
import java.util.Optional;

/**
 * The holder of a permit, as operators see it.
 *
 * @param permitId the permit's id, unique among all permits
 * @param bulkhead the bulkhead's name; for a lock, {@value LockSpec#BULKHEAD_PREFIX} and the lock's name
 * @param key the key value that the permit counts for; empty if the bulkhead is used without a key
 * @param ticket the permit's fencing token, see {@link Permit#fencingToken()}; 0 if no instance holds the permit, or its
 *        instance is silent
 * @param weight how much of the limit the permit takes, at least 1
 * @param application the name of the holding application ({@code quarkus.application.name})
 * @param instance host and process of the holding application, as {@code host:pid}
 * @param method the guarded method, or the one that called {@link RedisSemaphore} or {@link RedisLock}, as {@code Class#method}
 * @param since when the permit was granted, by the clock of this instance
 * @param until when the lease ends, or {@code max-hold} if that is sooner, by the clock of this instance
 * @param state whether the holder still has the permit; if it was detached or released, the application and the instance are
 *        empty
 */
public record Holder(String permitId, String bulkhead, Optional<String> key, long ticket, int weight, String application,
        String instance, String method, Instant since, Instant until, State state) {

    /** Whether the holder still has the permit. */
    public enum State {

        /** The holder has it, and renews its lease. */
        HELD,

        /**
         * Code acquired it and dropped the {@link Permit} without releasing it. The instance gives it back one
         * {@code expire} after it has noticed.
         */
        LEAKED,

        /** It was detached, and no process has attached it yet; see {@link Permit#detach()}. Its lease is not renewed. */
        DETACHED,

        /**
         * It was released, and stays taken until its minimum hold is over; see {@link SemaphoreSpec#minHold()}.
         */
        RELEASED,

        /**
         * An instance that does not answer, maybe because its process has died. The weight is that of all its permits, idle
         * ones included; they are free at {@link Holder#until} unless Redis hears from it before. {@link Holder#since} is when
         * Redis last heard from it. The id is the name of the instance in Redis, and revoking it takes all of the permits. The
         * application and the method are not known.
         */
        SILENT
    }
}
