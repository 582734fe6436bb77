package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.Map;

/**
 * The whole position of an instance in a bulkhead, as the store has it after a {@link Statement}.
 *
 * @param number the number of the statement that this answers
 * @param epoch the epoch of the counters; if it is not that of the statement, the store did not know the position that was
 *        stated: {@code granted} is what it admitted of {@code granted - returned - revoked} of the statement, together with
 *        what it granted beyond that, and the counters of returned and revoked permits start from 0
 * @param granted how many permits the instance was granted
 * @param admitted how many of them were admitted of what the statement claimed; meaningful only in a new epoch, and the same in
 *        a repeated answer
 * @param revoked how many of them were revoked
 * @param leaseMillis how long the share lives, from when the statement was sent on; 0 if there is no share
 * @param limit the limit in force
 * @param ticket the ticket of the group without one; 0 if all groups had tickets
 * @param served the highest ticket of this instance that a grant has served. A permit may serve only calls with this or a lower
 *        ticket while other instances wait
 * @param othersWait whether other instances wait
 * @param mayKeep whether the instance may use permits again without asking
 * @param recalled how many instances were recalled, or are expected to answer a recall, so that permits may become free soon
 * @param fullMillis for how long the instance may reject calls that do not wait by itself, because all permits are held, none
 *        is kept, and no call waits; 0 if not. Only if it wants to keep permits
 * @param graceMillis how long the store grants nothing new, because claims may be on their way; 0 for no grace period
 * @param askAgainMillis after which time something may have changed without a message, such as the end of a lease; 0 if there
 *        is no such time
 * @param firstToken the first of {@code tokens} consecutive fencing tokens for this instance; 0 without any
 * @param tokens how many
 * @param attached what became of each permit that the statement wants to attach: those that joined the share. They are part of
 *        {@code granted}. {@link Attached#REFUSED} for a hold in the statement that the store does not have, because it had
 *        lost its data and granted the permits again
 * @param otherLimit the limit that was declared before, if it is another one; else 0
 * @param server the run id of the server; empty if the store cannot tell
 */
public record Position(long number, long epoch, long granted, long admitted, long revoked, long leaseMillis, int limit,
        long ticket, long served, boolean othersWait, boolean mayKeep, int recalled, long fullMillis, long graceMillis,
        long askAgainMillis, long firstToken, int tokens, Map<String, Attached> attached, int otherLimit,
        String server) {

    /**
     * A permit that has joined the share.
     *
     * @param weight how many permits it takes
     * @param startedMillis how long ago its execution started
     */
    public record Attached(int weight, long startedMillis) {

        /** Permits that were to stay in the name of no instance, and are lost. */
        public static final Attached REFUSED = new Attached(0, 0);
    }

    /** This position without another declared limit. */
    public Position withoutOtherLimit() {
        return new Position(number, epoch, granted, admitted, revoked, leaseMillis, limit, ticket, served, othersWait, mayKeep,
                recalled, fullMillis, graceMillis, askAgainMillis, firstToken, tokens, attached, 0, server);
    }
}
