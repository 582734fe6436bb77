package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.List;

import io.quarkiverse.redisbulkhead.Holder;

/**
 * Who holds a bulkhead's permits at one instant.
 *
 * @param inUse the number of unexpired permits
 * @param holders the holders, the lease that ends first coming first; fewer than {@code inUse} when fewer were asked
 *        for
 */
public record Occupancy(int inUse, List<Holder> holders) {
}
