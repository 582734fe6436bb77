package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.ArrayList;
import java.util.List;

/**
 * The whole position of an instance in a bulkhead, as the instance knows it. A statement may be lost, late or repeated: a store
 * ignores one whose number is not greater than the last that it has processed for this instance and bulkhead, and the instance
 * states its position again.
 * <p>
 * The counters {@code granted}, {@code returned} and {@code revoked} only grow, within an epoch. The share of the instance is
 * {@code granted - returned - revoked}. A permit counts as returned when the statement is built, and is never used again,
 * whatever becomes of the statement.
 *
 * @param bulkhead the bulkhead
 * @param number greater than that of any earlier statement of this instance about this bulkhead; from 1
 * @param epoch the epoch of the counters; 0 if the instance has never had a position, or knows that it has lost it
 * @param granted how many permits the instance was granted, as far as it knows
 * @param returned how many of them it has returned, those that this statement detaches or puts on hold included
 * @param revoked how many were revoked, as far as it knows
 * @param leaseMillis how long the share lives from this statement on
 * @param limit the limit that the instance declares, at least 1
 * @param keeps whether the instance may use permits again without asking, as it last heard
 * @param wantsToKeep whether it would like to
 * @param needs calls that wait, by ticket; at most one group without a ticket, the last one; at most {@value #MAX_NEEDS}
 * @param immediate calls that do not wait, in their order, without tickets; at most {@value #MAX_NEEDS}
 * @param highestToken the highest ticket or fencing token that the instance has seen
 * @param tokens how many fencing tokens the instance would like to have, beside the one for each permit that it is granted
 * @param server the run id of the server as the instance knows it; empty if unknown. Added by the store, which knows servers
 * @param serverSinceMillis for how long the instance has known this run id after having known another one; -1 if it has known
 *        no other. Added by the store
 * @param holds permits that leave the share to stay in the store in the name of no instance; repeated until a position answers
 * @param attaches detached permits that join the share; repeated until a position answers
 */
public record Statement(BulkheadId bulkhead, long number, long epoch, long granted, long returned, long revoked,
        long leaseMillis, int limit, boolean keeps, boolean wantsToKeep, List<Need> needs, List<Need> immediate,
        long highestToken, int tokens, String server, long serverSinceMillis, List<Hold> holds, List<Attach> attaches) {

    /**
     * This statement as a store passes it on.
     *
     * @param mayKeep {@code false}: messages do not arrive, so the instance must not want to keep permits
     */
    public Statement to(String knownServer, long knownForMillis, boolean mayKeep) {
        return new Statement(bulkhead, number, epoch, granted, returned, revoked, leaseMillis, limit, keeps,
                wantsToKeep && mayKeep, needs, immediate, highestToken, tokens, knownServer, knownForMillis, holds, attaches);
    }

    /** Instead of a ticket: the calls do not wait. Behind all that wait. */
    public static final long NOT_WAITING = 1L << 53;

    /** All calls: those that wait, and then those that do not, with {@link #NOT_WAITING}. */
    public List<Need> calls() {
        if (immediate.isEmpty()) {
            return needs;
        }
        List<Need> calls = new ArrayList<>(needs);
        immediate.forEach(need -> calls.add(new Need(NOT_WAITING, 0, need.weight(), need.count())));
        return calls;
    }

    /** How many groups a statement may have. */
    public static final int MAX_NEEDS = 32;

    /** How many groups with tickets have their calls in a statement: beside them, it has a place and a group without one. */
    public static final int MAX_PLACED = MAX_NEEDS - 2;

    /**
     * Calls of equal weight that follow each other in the queue.
     *
     * @param ticket their place in the queue, the lower the earlier; 0: they have none yet
     * @param group a number that the instance gives a group when it states it for the first time, so that a repeated statement
     *        gets the same ticket; greater than those of its earlier groups in this bulkhead; 0 for calls that do not wait
     * @param weight how many permits each call needs, at least 1
     * @param count how many calls; 0 for the first group of those that the statement has no room for, so that no call behind it
     *        is served before they are stated
     */
    public record Need(long ticket, long group, int weight, int count) {

        /** Whether the calls wait; see {@link Statement#calls}. */
        public boolean waits() {
            return ticket < NOT_WAITING;
        }
    }

    /**
     * A permit that stays in the store in the name of no instance: it was detached, or it was released before its minimum hold
     * was over.
     *
     * @param id the id of the permit; letters, digits, {@code -} and {@code _}
     * @param weight how many permits it takes
     * @param leaseMillis how long it stays at most
     * @param startedMillis how long ago its execution started
     * @param digest the digest of the secret that attaches it, in letters and digits; empty if it cannot be attached
     * @param method what it was for, as operators see it
     */
    public record Hold(String id, int weight, long leaseMillis, long startedMillis, String digest, String method) {
    }

    /**
     * The wish to attach a permit.
     *
     * @param id its id
     * @param digest the digest of its secret
     */
    public record Attach(String id, String digest) {
    }
}
