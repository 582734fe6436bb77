package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.RedisSemaphore;

/**
 * Where shares live. Knows instances, not calls. Every method is one atomic step, by the clock of the store.
 * <p>
 * All methods are asynchronous, may be called from any thread and never block. Stages complete on a thread of the store; do not
 * block it. Failures come through the stage as {@link StoreException}. A store never sends anything twice:
 * the instance repeats its statement.
 */
public interface ShareStore {

    /** How long an offer lives after the statement on which it is based; see {@link ShareMessage.Granted}. */
    long OFFER_MILLIS = 3_000;

    /** How long the calls of an instance keep their places in the queue without a new statement. */
    long WAITER_MILLIS = 3_000;

    /** How long nothing new is granted after a new run of the server, unless all instances have stated their position. */
    long GRACE_MILLIS = 2_000;

    /** For how long after an unmet need no other instance may keep permits. */
    long UNMET_MILLIS = 1_000;

    /** The interval between two recalls while a need is unmet. */
    long RECALL_MILLIS = 200;

    /** An instance that has not answered a recall for so long is no longer expected to answer. */
    long DEAF_MILLIS = 1_000;

    /** For how long an instance rejects calls by itself after an answer that the bulkhead is full. */
    long FULL_MILLIS = 100;

    /** How long a declared limit is remembered, so that instances that declare different ones are found. */
    long DECLARED_MILLIS = 60_000;

    /** How many holders or waiters a list has at most. */
    int MAX_LISTED = RedisSemaphore.MAX_HOLDERS;

    /** With more instances than that, none may keep permits. */
    int MOST_KEEPERS = 64;

    /** With more instances than that, none gets a message when a permit is free: one step sends all these messages. */
    int MOST_NOTIFIED = 16;

    /** Whether other instances use this store, too, so that permits that are idle here may be missing there. */
    default boolean isShared() {
        return true;
    }

    /**
     * Runs a task when the store can send. A statement that is built then, and not when something happened, contains all that
     * happened meanwhile.
     *
     * @param task must not block
     */
    void whenReady(Runnable task);

    /**
     * States a position.
     *
     * @param statement the position
     * @return the position that the store has; fails with a {@link StoreException}
     */
    CompletionStage<Position> sync(Statement statement);

    /**
     * Takes permits away from an instance, or a permit that no instance holds, and sends {@link ShareMessage.Changed}.
     *
     * @param bulkhead the bulkhead
     * @param instance the instance; empty for a permit in the name of no instance
     * @param permitId the permit that no instance holds; empty for permits of an instance
     * @param permits how many permits of the instance
     * @return how many permits were taken away
     */
    CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits);

    /**
     * Sets the limit for all instances.
     *
     * @param bulkhead the bulkhead
     * @param limit at least 1; 0 to undo
     * @return whether a limit was set before
     */
    CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit);

    /**
     * Reads the shares and the queue.
     *
     * @param bulkhead the bulkhead
     * @param most how many instances to list at most
     * @return the state at one instant
     */
    CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most);

    /**
     * Lists the bulkheads and keys that any instance uses. Scans everything that the store keeps, so it is not for each call.
     *
     * @param most how many to list, at least 0
     * @param known some that may be in use; those whose keys are so long that the store does not keep them are listed if they
     *        are
     * @return those that are, or were a moment ago
     */
    default CompletionStage<BulkheadsInUse> inUse(int most, Set<BulkheadId> known) {
        return CompletableFuture.completedFuture(BulkheadsInUse.unknown("Only the bulkheads of this instance are listed"));
    }

    /**
     * Sets the listener. Called once, before anything else.
     *
     * @param messages called on a thread of the store; must not block
     */
    void listen(Consumer<ShareMessage> messages);
}
