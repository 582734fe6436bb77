package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.ModelledInstance.Slip;

/**
 * What an exploration covers: all interleavings of this.
 *
 * @param limit how many permits there are
 * @param calls the weights of the calls of each instance, in their order; negative for a call that does not wait
 * @param made how many of these calls were made, one after the other, before the exploration begins;
 *        negative if their executions have ended
 * @param leaseMillis the lease
 * @param ticks how often a second passes
 * @param keepsIdle whether instances keep permits that are idle
 * @param rare how often what is rare happens, in all instances together; 0 unless it is set
 * @param slip the defect of the instances, or null
 * @param finished from one state in so many, the exploration looks at how it ends
 */
record Bounds(int limit, List<List<Integer>> calls, List<Integer> made, long leaseMillis, int ticks, boolean keepsIdle,
        Map<Rare, Integer> rare,
        Slip slip, int finished) {

    /** Events whose number is bounded. */
    enum Rare {
        /** An instance stops waiting for an answer. The statement and the answer may still arrive. */
        UNANSWERED,
        /** A copy of a statement or message stays on its way. */
        REPEATED,
        /** An instance that holds permits dies. */
        HOLDER_DIES,
        /** An instance that holds none, and waits for some, dies. */
        WAITER_DIES,
        /** All data is lost on a server that runs on. */
        FLUSH,
        /** A replica takes over that has the data of the beginning; all instances reconnect within the grace period. */
        FAILOVER,
        /** The clock of the server goes back, by a minute. */
        CLOCK_BACK,
        /** A call that waits gives up. */
        GIVE_UP,
        /** An execution ends before its minimum hold. */
        MINIMUM_HOLD,
        /** A permit is detached; any instance may attach it. */
        DETACH,
        /** An operator takes a permit away from an instance. */
        REVOKE
    }

    static Bounds of(int limit, int ticks, List<List<Integer>> calls) {
        return new Bounds(limit, calls, List.of(), 20_000, ticks, false, Map.of(), null, 16);
    }

    Bounds after(Integer... callsMade) {
        return new Bounds(limit, calls, List.of(callsMade), leaseMillis, ticks, keepsIdle, rare, slip, finished);
    }

    Bounds leaseSeconds(int seconds) {
        return new Bounds(limit, calls, made, 1_000L * seconds, ticks, keepsIdle, rare, slip, finished);
    }

    Bounds keeping() {
        return new Bounds(limit, calls, made, leaseMillis, ticks, true, rare, slip, finished);
    }

    Bounds with(Rare event, int times) {
        Map<Rare, Integer> all = new EnumMap<>(Rare.class);
        all.putAll(rare);
        all.put(event, times);
        return new Bounds(limit, calls, made, leaseMillis, ticks, keepsIdle, all, slip, finished);
    }

    Bounds slipping(Slip defect) {
        return new Bounds(limit, calls, made, leaseMillis, ticks, keepsIdle, rare, defect, finished);
    }

    boolean mayFinish(int hash) {
        return Math.floorMod(hash, finished) == 0;
    }

    boolean mayHave(Rare event) {
        return rare.getOrDefault(event, 0) > 0;
    }
}
