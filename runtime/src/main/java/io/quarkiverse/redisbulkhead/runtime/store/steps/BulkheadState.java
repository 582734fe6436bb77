package io.quarkiverse.redisbulkhead.runtime.store.steps;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;

/**
 * What a step sees of one bulkhead, and what it can do to it. All changes of a step come into force together.
 * <p>
 * Times are in milliseconds since the epoch, by the clock of the store.
 */
public interface BulkheadState {

    /** After what time a limit that is stated again is remembered anew. */
    Duration LIMIT_REFRESHED = Duration.ofSeconds(5);

    /** The instant of the step. */
    StepTime time();

    /**
     * Forgets permits and places that have ended; may forget cancellations that have. Where the clock of the store was set
     * back, what would last longer than it was given for ends sooner from now on.
     */
    void removeEnded();

    /** How many permits are held, without those that ended; known after {@link #removeEnded()}. */
    int inUse();

    /** When the first of the leases that have not ended ends; empty when nothing is held. */
    OptionalLong nearestLeaseEnd();

    /** Whether there is such a permit, and its lease has not ended. */
    boolean isHeld(String permitId);

    /** The fencing token of a permit that {@linkplain #isHeld is held}. */
    long ticketOf(String permitId);

    /** The end of the lease of a permit that {@linkplain #isHeld is held}. */
    long leaseEndOf(String permitId);

    /**
     * Gives the permit that was asked for, and takes the place away that the request may have had.
     *
     * @return its fencing token, greater than all before
     */
    long grant(AcquireRequest request, long leaseEnd);

    /** Lengthens the lease of a permit that {@linkplain #isHeld is held}; never shortens it. */
    void lengthenLease(String permitId, long leaseEnd);

    /** Takes away a permit that {@linkplain #isHeld is held}, and tells its holder. */
    void revoke(String permitId);

    /** Removes the id from wherever it is. */
    Left leave(String permitId);

    /** Whether the request has a place among the waiters. */
    boolean isWaiting(String permitId);

    /**
     * Lets the request wait; if it does already, with all that was asked for at first.
     *
     * @param ticket with which it queues; 0 for a new one
     */
    void keepPlace(AcquireRequest request, long ticket, long placeEnd);

    /** The place in the queue of a request that {@linkplain #isWaiting waits}; 0 when it is not fair. */
    long ticketOfWaiter(String permitId);

    /** The greatest ticket that is known to have been given; 0 when nothing is known. */
    long lastTicket();

    /** Lengthens a place, if there is one; never shortens it. */
    void lengthenPlace(String permitId, long placeEnd);

    /** Whether whatever was known of the bulkhead may have been lost: there is neither a queue nor a last ticket. */
    default boolean mayBeLost() {
        return false;
    }

    /**
     * Starts the grace period, in which no waiter in the queue is served. Only where all {@linkplain #mayBeLost may be lost}.
     *
     * @param until its end, in milliseconds since the epoch
     */
    default void startGracePeriod(long until) {
        throw new IllegalStateException("A store that loses nothing has no grace period");
    }

    /** The end of the grace period, in milliseconds since the epoch; empty outside of it. */
    default OptionalLong gracePeriodEnd() {
        return OptionalLong.empty();
    }

    /** Whether the queue is empty, and there is no grace period. */
    boolean queueIsEmpty();

    /** Whether the queue has no equal or smaller ticket, and there is no grace period. */
    boolean isBeforeQueue(long ticket);

    /** The first of the live waiters in the queue, outside of the grace period; as far as the state reaches. */
    Optional<QueuedWaiter> firstInQueue();

    /** Gives a permit to a waiter, with a fencing token that is greater than all before, and tells it. */
    void handOver(QueuedWaiter waiter, long leaseEnd);

    /** The waiters that are not in the queue, from the one whose turn it is. */
    StandbyRound standbyRound();

    /** Whether the request was cancelled before it came. */
    boolean isCancelled(String permitId);

    /** Remembers, until the given time at least, that the request was cancelled. */
    void rememberCancelled(String permitId, long until);

    /** The limit that an operator has set. */
    OptionalInt resizedTo();

    /** Sets the limit for all callers; empty: everybody goes by the own one again. */
    void resize(OptionalInt limit);

    /** Remembers that a caller goes by this limit, and now and then tells the caller of others that were stated. */
    void stateLimit(int limit);
}
