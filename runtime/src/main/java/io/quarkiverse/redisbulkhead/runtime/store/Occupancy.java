package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;

/**
 * The holders and waiters of a bulkhead at one instant.
 *
 * @param inUse what the permits of executions, and those that no instance holds, weigh together; and the shares of instances
 *        that did not answer
 * @param idleAt how many more permits instances keep that no execution uses: by host and process, or by the name in the store
 *        where these are not known
 * @param waiting the number of live waiters
 * @param resizedTo the limit that {@link ShareStore#resize} set
 * @param declaredLimits the different limits that requests declared within the last minute, ascending
 * @param holders the holders, ordered by lease end; fewer than {@code inUse} if fewer were requested
 * @param waiters the waiters, fair ones first, in order; fewer than {@code waiting} if fewer were requested
 */
public record Occupancy(int inUse, SortedMap<String, Integer> idleAt, int waiting, OptionalInt resizedTo,
        SortedSet<Integer> declaredLimits,
        List<Holder> holders, List<Waiter> waiters) {

    /** How many permits are idle. */
    public int idle() {
        return idleAt.values().stream().mapToInt(Integer::intValue).sum();
    }
}
