package io.quarkiverse.redisbulkhead;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How full a bulkhead is, across all applications that share it.
 *
 * @param name the bulkhead
 * @param key the key value; empty if the bulkhead is used without a key
 * @param limit the number of permits that is in force here: what {@link RedisSemaphore#resize} set, otherwise this
 *        application's own definition. For a key whose limit comes from a {@link BulkheadKeyResolver}: the one that requests
 *        had within the last minute, if there is exactly one; otherwise that of the definition
 * @param inUse the total weight of the unexpired permits; above {@code limit} if another instance has a higher one
 * @param waiting how many calls wait for a permit
 * @param resized whether {@code limit} was set by {@link RedisSemaphore#resize}
 * @param declaredLimits the different limits that instances used within the last minute, ascending; more than one means that
 *        instances use different limits
 */
public record SemaphoreStatus(String name, Optional<String> key, int limit, int inUse, int waiting,
        boolean resized, SortedSet<Integer> declaredLimits) {

    /**
     * Copies the limits.
     *
     * @param name the bulkhead
     * @param key the key value; empty if the bulkhead is used without a key
     * @param limit the number of permits that is in force here
     * @param inUse the total weight of the unexpired permits
     * @param waiting how many calls wait for a permit
     * @param resized whether {@code limit} was set by {@link RedisSemaphore#resize}
     * @param declaredLimits the different limits that instances used within the last minute
     */
    public SemaphoreStatus {
        declaredLimits = Collections.unmodifiableSortedSet(new TreeSet<>(declaredLimits));
    }

    /**
     * How many permits are free under {@link #limit}.
     *
     * @return the difference, never negative
     */
    public int free() {
        return Math.max(0, limit - inUse);
    }

    /**
     * Whether instances define this bulkhead with different limits. After {@link RedisSemaphore#resize} that is harmless: all
     * of them use the limit that was set.
     *
     * @return {@code true} when more than one limit was used within the last minute
     */
    public boolean limitsDiffer() {
        return declaredLimits.size() > 1;
    }
}
