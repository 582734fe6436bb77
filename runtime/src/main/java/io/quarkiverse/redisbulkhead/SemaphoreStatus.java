package io.quarkiverse.redisbulkhead;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How full a bulkhead is, over all applications that share it.
 *
 * @param name the bulkhead
 * @param key the key value; empty when the bulkhead is one limit for all
 * @param limit the number of permits that is in force here: what {@link RedisSemaphore#resize} set, else this
 *        application's own definition. For a key whose limit a {@link BulkheadKeyResolver} tells: the one by which permits
 *        were asked for within the last minute, if there is exactly one; else that of the definition
 * @param inUse what the unexpired permits weigh together; above {@code limit} where another instance has a higher one
 * @param waiting how many wait for a permit
 * @param resized whether {@code limit} was set by {@link RedisSemaphore#resize}
 * @param statedLimits the different limits by which instances asked for permits within the last minute, ascending;
 *        more than one means that instances use different limits
 */
public record SemaphoreStatus(String name, Optional<String> key, int limit, int inUse, int waiting,
        boolean resized, SortedSet<Integer> statedLimits) {

    /**
     * Copies the limits.
     *
     * @param name the bulkhead
     * @param key the key value; empty when the bulkhead is one limit for all
     * @param limit the number of permits that is in force here
     * @param inUse what the unexpired permits weigh together
     * @param waiting how many wait for a permit
     * @param resized whether {@code limit} was set by {@link RedisSemaphore#resize}
     * @param statedLimits the different limits by which instances asked for permits within the last minute
     */
    public SemaphoreStatus {
        statedLimits = Collections.unmodifiableSortedSet(new TreeSet<>(statedLimits));
    }

    /**
     * How many permits are free by {@link #limit}.
     *
     * @return the difference, never negative
     */
    public int free() {
        return Math.max(0, limit - inUse);
    }

    /**
     * Whether instances define this bulkhead with different limits. After {@link RedisSemaphore#resize} that is
     * harmless: all of them obey the size that was set.
     *
     * @return {@code true} when more than one limit was stated within the last minute
     */
    public boolean limitsDiffer() {
        return statedLimits.size() > 1;
    }
}
