package io.quarkiverse.redisbulkhead.runtime.overview;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;

/**
 * All bulkheads at one moment.
 *
 * @param at when this process asked, by its own clock
 * @param bulkheads those that are declared here, and all others that are in use, by name
 * @param incomplete why there may be more keys, or undeclared bulkheads, in use; empty when these are all
 */
public record Snapshot(Instant at, List<BulkheadState> bulkheads, Optional<String> incomplete) {

    /** Copies the list. */
    public Snapshot {
        bulkheads = List.copyOf(bulkheads);
    }

    /**
     * A bulkhead at one moment.
     *
     * @param name its name
     * @param declared whether an annotation of this application declares it; else it is defined in code, behind a lock, or
     *        another application's
     * @param keyed whether it has one limit for each key
     * @param limits its only limit, or that of each key that is in use, by key
     * @param keysWithoutText how many more keys are in use whose texts Redis does not keep, because they are long
     */
    public record BulkheadState(String name, boolean declared, boolean keyed, List<LimitState> limits, int keysWithoutText) {

        /** Copies the list. */
        public BulkheadState {
            limits = List.copyOf(limits);
        }
    }

    /**
     * One limit at one moment: a bulkhead, or one of its keys.
     *
     * @param key the key; empty when the bulkhead is one limit for all
     * @param limit how many permits there are; empty when this application does not declare the bulkhead and instances have
     *        not declared exactly one limit within the last minute
     * @param resized whether the limit was set by {@link io.quarkiverse.redisbulkhead.RedisSemaphore#resize}
     * @param declaredLimits the different limits that instances declared within the last minute, ascending
     * @param inUse what the permits that are held weigh together
     * @param idle how many more permits instances keep that no execution uses
     * @param waiting how many wait
     * @param holders who holds, the lease that ends first coming first; fewer than {@code inUse} when there are too many to
     *        list
     * @param waiters who waits, the fair ones first and in their order; fewer than {@code waiting} when there are too many to
     *        list
     */
    public record LimitState(Optional<String> key, OptionalInt limit, boolean resized, SortedSet<Integer> declaredLimits,
            int inUse, int idle, int waiting, List<Holder> holders, List<Waiter> waiters) {

        /**
         * Whether instances use different limits, and no limit was set for all.
         *
         * @return {@code true} when more than one limit was declared within the last minute, and none was set for all
         */
        public boolean limitsDiffer() {
            return !resized && declaredLimits.size() > 1;
        }
    }
}
