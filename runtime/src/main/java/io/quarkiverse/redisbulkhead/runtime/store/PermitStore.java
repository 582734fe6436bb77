package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.RedisSemaphore;

/**
 * Keeps the permits of bulkheads, and the waiters for them. Every method is one atomic step of the store, by the
 * store's own clock, never by the caller's.
 * <p>
 * Each step first removes expired leases and dead waiters, and gives free permits to the live waiters of fair bulkheads in the
 * order of their requests: a permit is <em>handed over</em>. Of the waiters of bulkheads that are not fair, one per free permit
 * is notified and requests again. A {@link Notice} wakes the waiter. Notices can be lost, so waiters also {@link #poll}.
 * <p>
 * All methods are asynchronous, may be called from any thread and never block. Stages complete on a thread of the store; do not
 * block it. Failures come through the stage and are never thrown: {@link StoreException} if the store does not reply, and
 * {@link StoreContendedException} if the store changed nothing because too many callers compete. Arguments are not checked:
 * {@link io.quarkiverse.redisbulkhead.SemaphoreSpec} checks what users set, and callers keep the bounds that are documented
 * here.
 */
public interface PermitStore {

    /** How many ids {@link #cancel} takes at once. */
    int MAX_CANCELLED_AT_ONCE = 100;

    /** How many ids {@link #renew} takes at once, so that other calls do not wait for long. */
    int MAX_RENEWED_AT_ONCE = 128;

    /** How many ids {@link #poll} takes at once. */
    int MAX_POLLED_AT_ONCE = 500;

    /**
     * How long a waiter keeps its place without a {@link #poll}. A process polls once a second for all of its waiters, so it
     * counts as dead when it has missed three polls.
     */
    Duration LONGEST_PLACE = Duration.ofSeconds(3);

    /** The longest first lease of a permit that is handed over; see {@link HandOver}. */
    Duration FIRST_LEASE = Duration.ofSeconds(2);

    /**
     * For how long a store that has lost its data serves no waiter in the queue of a bulkhead, from the first request with an
     * old ticket on. It is longer than the interval between two polls, so the waiters of all processes can queue again first.
     */
    Duration GRACE_PERIOD = Duration.ofMillis(1_250);

    /** For how long a limit that a request declared is remembered. */
    Duration LIMIT_REMEMBERED = Duration.ofMinutes(1);

    /** What follows the id of a permit that was released and stays taken. Permit ids of callers have no such end. */
    String RELEASED_SUFFIX = ".released";

    /** How many holders {@link #ownPermits} looks at in one step. */
    int HOLDERS_PER_STEP = 1_000;

    /** How many holders and waiters {@link #occupancy} lists at the most. */
    int MAX_LISTED = RedisSemaphore.MAX_HOLDERS;

    /**
     * Takes a permit if the limit leaves room for its weight and no fair waiter is before the caller. A request that weighs
     * more than the limit does not wait: the reply is {@link AcquireReply.Full}. A repeated request with the same permit id
     * gets the same permit, with its full lease again, or the same place among the waiters.
     * <p>
     * A fair request with a {@linkplain AcquireRequest#ticket() ticket} queues with it, so it comes before all with a greater
     * one and never overtakes one with a smaller one. A ticket that the store cannot have given counts as the latest that it
     * can have. Where the store knows neither a queue nor a last ticket, it has lost its data: then it serves no waiter in
     * the queue for {@link #GRACE_PERIOD}.
     *
     * @param request what to take
     * @return the answer
     */
    CompletionStage<AcquireReply> acquire(AcquireRequest request);

    /**
     * Releases a permit, or a place among the waiters. A permit that becomes free goes to the next waiter.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @return {@code false} when no permit was held, because its lease had ended or there never was one; {@code true}
     *         when one was, and also when the request had to be sent twice, as the first copy may have done the work
     */
    default CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId) {
        return release(bulkhead, permitId, Duration.ZERO);
    }

    /**
     * Releases a permit that stays taken for a minimum time from its start, but not for longer than its lease. Until then the
     * store keeps it under {@link #releasedId another id} and in the name of no process: a renewal does not find
     * it, and a second release changes nothing. A {@link #revoke} of that id frees it at once. A place among the waiters is
     * released as by {@link #release(BulkheadId, String)}, and so is a permit that started so long ago.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @param minHold how long the permit is taken at least, from its start; zero: it is free at once
     * @return as {@link #release(BulkheadId, String)}
     */
    CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId, Duration minHold);

    /**
     * The id of a permit that was released and stays taken, as operators see it.
     *
     * @param permitId the id that it had
     * @return another one, which no caller chooses
     */
    static String releasedId(String permitId) {
        return permitId + RELEASED_SUFFIX;
    }

    /**
     * Undoes acquires whose outcome is unknown: releases the permits if they were granted, removes them from the waiters, and
     * refuses their requests if they are still in flight.
     *
     * @param bulkhead the bulkhead
     * @param permitIds the permits, from 1 to {@value #MAX_CANCELLED_AT_ONCE}
     * @param forgetAfter for how long such requests may still arrive
     * @return completes when done
     */
    CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter);

    /**
     * Extends leases. Never shortens a lease, and never revives a permit that is no longer held.
     *
     * @param bulkhead the bulkhead
     * @param leases the lease of each permit from now; from 1 to {@value #MAX_RENEWED_AT_ONCE}
     * @return the permits that were no longer held
     */
    CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases);

    /**
     * Shows that the waiters of this process are alive, and reads the state of some of them.
     *
     * @param bulkhead the bulkhead
     * @param limit how many permits there are, unless the bulkhead was resized
     * @param permitIds the waiters to look at, from 1 to {@value #MAX_POLLED_AT_ONCE}
     * @param place how long all waiters of this process at this bulkhead keep their places from now on, unless they had longer
     * @return the answer
     */
    CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place);

    /**
     * Detaches a permit from its process, so that any process that knows the secret can {@link #attach} it. Until then it is in
     * the name of no process, and no process renews it. If it is repeated, the last secret counts.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @param lease how long it lives from now on at least
     * @param digest the digest of the secret, in letters and digits
     * @param refuseFor for how long copies of the request for the permit are refused, as by {@link #cancel}; zero if there
     *        can be no copies
     * @return {@code false} when it was not held
     */
    CompletionStage<Boolean> detach(BulkheadId bulkhead, String permitId, Duration lease, String digest, Duration refuseFor);

    /**
     * Makes a detached permit that of this process, under a new id and with a new ticket. A repeated request with the same new
     * id gets the same ticket. Of several requests with different ids, one gets the permit.
     *
     * @param request which permit, and what it becomes
     * @return the permit; empty when it is not there: its lease has ended, another has attached it, it was revoked, or the
     *         digest is not that of its secret
     */
    CompletionStage<Optional<Attached>> attach(AttachRequest request);

    /**
     * Takes a permit away, and notifies its holder if a process still has it.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit; any other text counts as not held
     * @return {@code false} when it was not held
     */
    CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId);

    /**
     * Sets the limit for all callers, whatever limit their requests have.
     *
     * @param bulkhead the bulkhead
     * @param limit how many permits may be held, at least 1
     * @return completes when done
     */
    CompletionStage<Void> resize(BulkheadId bulkhead, int limit);

    /**
     * Undoes {@link #resize}.
     *
     * @param bulkhead the bulkhead
     * @return whether there was anything to undo; {@code true} also when the request had to be sent twice
     */
    CompletionStage<Boolean> resetSize(BulkheadId bulkhead);

    /**
     * Lists the holders, by the end of their lease, and the waiters: the fair ones first, in their order.
     *
     * @param bulkhead the bulkhead
     * @param most how many holders, and how many waiters, to list, from 0 to {@value #MAX_LISTED}; the numbers count all of
     *        them
     * @return the state at one instant
     */
    CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most);

    /**
     * Returns the ids of the unexpired permits that the store keeps for this process, known to it or not. Read-only.
     * <p>
     * Reads {@value #HOLDERS_PER_STEP} holders at a time, so the result is not a snapshot: a permit that is renewed or moves
     * meanwhile may be missing. Every returned permit was held when it was read. An id unknown to the process when the result
     * arrives can be released.
     *
     * @param bulkhead the bulkhead
     * @return the ids; none where a permit cannot be held without this process knowing it
     */
    CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead);

    /**
     * Lists the bulkheads and keys that any process uses. Scans everything that the store keeps, so it is not for each call.
     *
     * @param most how many to list, at least 0
     * @return those that are, or were a moment ago
     */
    CompletionStage<BulkheadsInUse> inUse(int most);

    /**
     * Sets the listeners. Called once, before anything else.
     *
     * @param notices called on a thread of the store's; must not block
     * @param mismatches receives the differing limits that the reply to an acquire reports, on the thread that completes the
     *        acquire, every few seconds while the limits differ; must neither block nor throw
     */
    void listen(Consumer<Notice> notices, Consumer<LimitMismatch> mismatches);
}
