package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedSet;

/**
 * The shares and the queue of a bulkhead at one instant.
 *
 * @param granted how many permits all unexpired shares and holds take together
 * @param waiting how many calls of live instances wait
 * @param resizedTo the limit that an operator set
 * @param declaredLimits the different limits that instances have declared within the last minute, ascending
 * @param shares the instances, those whose lease ends first coming first
 * @param holds the permits that no instance holds; their times are counted from this instant
 */
public record ShareOverview(int granted, int waiting, OptionalInt resizedTo, SortedSet<Integer> declaredLimits,
        List<Share> shares, List<Statement.Hold> holds) {

    /** This overview without declared limits. */
    public ShareOverview withoutDeclaredLimits() {
        return new ShareOverview(granted, waiting, resizedTo, Collections.emptySortedSet(), shares, holds);
    }

    /**
     * What one instance has.
     *
     * @param instance its name
     * @param permits how many permits it has
     * @param leaseMillis how long its lease lasts; 0 if it has no permits
     * @param statedMillis how long ago it stated its position
     * @param keeps whether it may use permits again without asking
     * @param waiting how many of its calls wait
     */
    public record Share(String instance, int permits, long leaseMillis, long statedMillis, boolean keeps, int waiting) {
    }
}
